package report

import "example.org/compose/internal/strictjson"

// Document returns the totals as `compose report --format json` prints them (schema report-result). as is the form that was written to a
// file, size its bytes, cut what it leaves out; without a file as is "".
func (r *Report) Document(as string, size int, cut Cut) strictjson.Value {
	lines := r.Lines()
	from := strictjson.Value{}
	if r.From != "" {
		from = strictjson.Str(r.From)
	}
	var files []strictjson.Member
	for _, b := range Buckets() {
		files = append(files, number(string(b), r.Count(b)))
	}
	members := []strictjson.Member{
		strictjson.F("operation", strictjson.Str(r.Operation)),
		strictjson.F("recipe", strictjson.Str(r.Recipe)),
		strictjson.F("repository", strictjson.Str(r.Source.Repository)),
		strictjson.F("from_revision", from),
		strictjson.F("to_revision", strictjson.Str(r.Source.Revision)),
		strictjson.F("writes", strictjson.Boolean(r.Writes)),
		strictjson.F("files", strictjson.Obj(files...)),
		strictjson.F("lines", strictjson.Obj(
			number("added", lines.Added), number("removed", lines.Removed), number("uncompared", lines.Uncompared),
		)),
		strictjson.F("components", r.componentCounts()),
	}
	if as != "" {
		members = append(members, strictjson.F("written", strictjson.Obj(
			strictjson.F("as", strictjson.Str(as)),
			number("bytes", size),
			strictjson.F("left_out", strictjson.Obj(
				number("conflicts", cut.Conflicts), number("ways", cut.Ways), number("components", cut.Components),
				number("files", cut.Files), number("lines", cut.Lines), strictjson.F("graph", strictjson.Boolean(cut.Graph)),
			)),
		)))
	}
	return strictjson.Obj(members...)
}

func (r *Report) componentCounts() strictjson.Value {
	n := make(map[Bucket]int)
	for i := range r.Components {
		n[r.Components[i].bucket()]++
	}
	return strictjson.Obj(number("added", n[Create]), number("changed", n[Replace]), number("removed", n[Remove]), number("unchanged", r.Steady))
}

func number(name string, n int) strictjson.Member {
	return strictjson.F(name, strictjson.Int(int64(n)))
}
