package planner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/compose/catalog"
	"example.org/compose/internal/diag"
	"example.org/compose/internal/portable"
	"example.org/compose/internal/strictjson"
	"example.org/compose/lockv2"
)

// generate computes the bytes of the generated materials.
func (c *Composition) generate(components []*catalog.Component) error {
	registrations, twice := collectRegistrations(components)
	if len(twice) > 0 {
		return twice[0]
	}
	for i := range c.Materials {
		m := &c.Materials[i]
		switch {
		case m.source.Generator == catalog.GeneratorContractManifestV1:
			m.generated = strictjson.Encode(contractManifest(registrations))
			m.source = nil
		case m.source.Generator != "":
			return &Error{Components: []lockv2.ComponentID{m.Component}, Base: diag.New(CodeUnknownGenerator, string(m.Destination),
				fmt.Sprintf("no generator is called %q; use %q", m.source.Generator, catalog.GeneratorContractManifestV1))}
		}
	}
	return nil
}

// registration is a contract registration with the component that makes it.
type registration struct {
	*catalog.Registration
	component lockv2.ComponentID
}

// collectRegistrations returns the registrations of the components, by id, and those that stand twice. Documents and
// schemas are paths, so two that differ in ASCII case alone are the same.
func collectRegistrations(components []*catalog.Component) (all []registration, twice []*Error) {
	for _, component := range components {
		for i := range component.Registrations {
			all = append(all, registration{&component.Registrations[i], component.ID})
		}
	}
	slices.SortFunc(all, func(a, b registration) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(string(a.component), string(b.component)))
	})
	seen := make(map[string]registration, 3*len(all))
	for _, r := range all {
		for _, field := range registrationFields() {
			key := field.name + " " + portable.Fold(field.of(r))
			if other, found := seen[key]; found {
				twice = append(twice, duplicateRegistration(field, other, r))
				continue
			}
			seen[key] = r
		}
	}
	return all, twice
}

// registrationField is a field that no two registrations have in common. Ids have no upper case.
type registrationField struct {
	name string
	of   func(registration) string
}

func registrationFields() []registrationField {
	return []registrationField{
		{"id", func(r registration) string { return r.ID }},
		{"document", func(r registration) string { return r.Document }},
		{"schema", func(r registration) string { return r.Schema }},
	}
}

func duplicateRegistration(field registrationField, a, b registration) *Error {
	first, second := field.of(a), field.of(b)
	msg := fmt.Sprintf("the contract %s %q is registered by components %q and %q; register it once", field.name, second, a.component, b.component)
	switch {
	case first != second && a.component == b.component:
		msg = fmt.Sprintf("component %q registers the contract %s %q and, for the contract %q, %q, which differ in case alone; a system that ignores case has room for one: rename one of them",
			a.component, field.name, second, a.ID, first)
	case first != second:
		msg = fmt.Sprintf("component %q registers the contract %s %q, and component %q, for the contract %q, %q, which differ in case alone; a system that ignores case has room for one: rename one of them",
			b.component, field.name, second, a.component, a.ID, first)
	case a.component == b.component:
		msg = fmt.Sprintf("component %q registers the contract %s %q twice; register it once", b.component, field.name, second)
	}
	return &Error{Components: involved(a.component, b.component), Base: diag.New(CodeDuplicateRegistration, b.ID, msg)}
}

// contractManifest is the document of the generator contract-manifest-v1.
func contractManifest(registrations []registration) strictjson.Value {
	return strictjson.Obj(
		strictjson.F("$schema", strictjson.Str("../schemas/contract-manifest.schema.json")),
		strictjson.F("schemaVersion", strictjson.Int(1)),
		strictjson.F("versionHistory", strictjson.Arr(contractVersion(catalog.ContractVersion{Version: 1, ChangeType: "initial"}))),
		strictjson.F("contracts", strictjson.List(registrations, func(r registration) strictjson.Value {
			return strictjson.Obj(
				strictjson.F("id", strictjson.Str(r.ID)),
				strictjson.F("document", strictjson.Str(r.Document)),
				strictjson.F("schema", strictjson.Str(r.Schema)),
				strictjson.F("migrationSlug", strictjson.Str(r.MigrationSlug)),
				strictjson.F("documentSchemaVersion", strictjson.Int(r.DocumentSchemaVersion)),
				strictjson.F("versionHistory", strictjson.List(r.VersionHistory, contractVersion)),
				strictjson.F("purpose", strictjson.Str(r.Purpose)),
			)
		})),
		strictjson.F("retiredContracts", strictjson.Arr()),
	)
}

func contractVersion(v catalog.ContractVersion) strictjson.Value {
	version := strictjson.Obj(strictjson.F("version", strictjson.Int(v.Version)), strictjson.F("changeType", strictjson.Str(v.ChangeType)))
	if v.Migration != "" {
		version.Members = append(version.Members, strictjson.F("migration", strictjson.Str(v.Migration)))
	}
	return version
}
