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
	registrations, err := collectRegistrations(components)
	if err != nil {
		return err
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

// collectRegistrations returns the registrations of the components, by id. Documents and schemas are paths,
// so two that differ in ASCII case alone are the same.
func collectRegistrations(components []*catalog.Component) ([]registration, error) {
	var all []registration
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
		for _, field := range []struct{ name, value string }{{"id", r.ID}, {"document", portable.Fold(r.Document)}, {"schema", portable.Fold(r.Schema)}} {
			key := field.name + " " + field.value
			if other, found := seen[key]; found {
				return nil, duplicateRegistration(field.name, other, r)
			}
			seen[key] = r
		}
	}
	return all, nil
}

func duplicateRegistration(field string, a, b registration) error {
	value := map[string]string{"id": b.ID, "document": b.Document, "schema": b.Schema}[field]
	who := fmt.Sprintf("components %q and %q", a.component, b.component)
	if a.component == b.component {
		who = fmt.Sprintf("component %q twice", a.component)
	}
	return &Error{Components: involved(a.component, b.component), Base: diag.New(CodeDuplicateRegistration, b.ID,
		fmt.Sprintf("the contract %s %q is registered by %s; register it once", field, value, who))}
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
