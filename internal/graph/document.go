package graph

import "example.org/compose/internal/strictjson"

// Document returns the model as `compose graph --format json` prints it (schema graph-result).
func (m *Model) Document() strictjson.Value {
	return strictjson.Obj(
		strictjson.F("source", strictjson.Obj(
			strictjson.F("repository", strictjson.Str(m.Source.Repository)),
			strictjson.F("revision", strictjson.Str(m.Source.Revision)),
		)),
		strictjson.F("recipe", strictjson.Obj(
			strictjson.F("id", strictjson.Str(m.Recipe.ID)),
			strictjson.F("summary", strictjson.Str(m.Recipe.Summary)),
		)),
		strictjson.F("components", strictjson.List(m.Components, componentDocument)),
		strictjson.F("outside", strictjson.List(m.Outside, func(o Outside) strictjson.Value {
			return strictjson.Obj(
				strictjson.F("id", strictjson.Str(o.ID)),
				strictjson.F("summary", strictjson.Str(o.Summary)),
			)
		})),
	)
}

func componentDocument(c Component) strictjson.Value {
	return strictjson.Obj(
		strictjson.F("id", strictjson.Str(c.ID)),
		strictjson.F("role", strictjson.Str(c.ID.Role())),
		strictjson.F("version", strictjson.Int(c.Version)),
		strictjson.F("summary", strictjson.Str(c.Summary)),
		strictjson.F("reason", strictjson.Str(c.Reason)),
		strictjson.F("requires", strictjson.Strs(c.Requires)),
		strictjson.F("needed_by", strictjson.Strs(c.NeededBy)),
		strictjson.F("conflicts", strictjson.Strs(c.Conflicts)),
		strictjson.F("files", strictjson.Obj(c.Files().members()...)),
		strictjson.F("folders", strictjson.List(c.Folders, func(f Folder) strictjson.Value {
			path := f.Path
			if path == "" {
				path = "."
			}
			return strictjson.Obj(append([]strictjson.Member{strictjson.F("path", strictjson.Str(path))}, f.Files.members()...)...)
		})),
	)
}

func (f Files) members() []strictjson.Member {
	return []strictjson.Member{
		strictjson.F("managed", strictjson.Int(int64(f.Managed))),
		strictjson.F("generated", strictjson.Int(int64(f.Generated))),
		strictjson.F("seed", strictjson.Int(int64(f.Seed))),
	}
}
