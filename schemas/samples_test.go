package schemas_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"example.org/compose/internal/strictjson"
	"example.org/compose/schemas"
)

var (
	digest   = `"` + strings.Repeat("ab", 32) + `"`
	revision = `"` + strings.Repeat("1a", 20) + `"`
	source   = `{"repository":"org/templates","revision":` + revision + `}`
	intent   = `{"recipe":"app","components":{"include":["capability.a"],"exclude":[]},"parameters":{"capability.a":{"x":[1.50,null]}}}`
	lock     = `{"schema_version":2,"source":` + source + `,"intent":` + intent + `,"recipe_sha256":` + digest + `,"configuration_sha256":` + digest + `,
		"resolved_components":[{"id":"artifact.app","version":1,"descriptor_sha256":` + digest + `}],
		"files":[{"destination":".github/a.yml","component":"artifact.app","ownership":"managed","materialized_sha256":` + digest + `}]}`
	place        = `"destination":"a/b","component":"artifact.app","ownership":"managed"`
	fileConflict = `{"destination":"a","code":"LOCAL_MODIFICATION","component":"artifact.app","message":"edited","line_endings_only":true}`
	files        = `{"create":[{` + place + `,"to_sha256":` + digest + `}],"replace":[{` + place + `,"from_sha256":` + digest + `,"to_sha256":` + digest + `},{` + place + `,"from_sha256":` + digest + `,"to_sha256":` + digest + `,"includes":{"added":[],"removed":["partials/a.md"],"changed":[]}}],
		"remove":[{` + place + `,"from_sha256":` + digest + `}],
		"preserve":[{"destination":"s","component":"artifact.app","ownership":"seed","current_sha256":` + digest + `,"lock_sha256":` + digest + `,"reason":"a seed"}],
		"unchanged":[],"conflict":[` + fileConflict + `]}`
	components = `{"added":["capability.a"],"removed":[],"changed":[{"id":"artifact.app","from_version":1,"to_version":2,"from_descriptor_sha256":` + digest + `,"to_descriptor_sha256":` + digest + `}],"unchanged":[]}`
	conflicts  = `[{"code":"COMPONENT_VERSION_UPGRADE_REQUIRED","component":"artifact.app","message":"upgrade"},` + fileConflict + `]`
	change     = `"from_sha256":` + digest + `,"to_sha256":` + digest + `,"changed":false`
	compared   = `{"algorithm":"compose/lock-manifest/v1","from":` + digest + `,"to":` + digest + `,"changed":false}`
)

// samples holds, for each schema, documents that conform, and changes of the first that do not: a JSON pointer, what is put
// there ("" takes it away), and the violations as POINTER RULE.
var samples = map[string]struct {
	valid   []string
	invalid [][3]string
}{
	schemas.Catalog: {
		valid: []string{`{"schema_version":1,"repository":"org/templates","components":["artifact.app"],"recipes":["app","app-2"]}`,
			`{"schema_version":1,"components":[],"recipes":[]}`},
		invalid: [][3]string{
			{"/schema_version", "2", "/schema_version const"}, {"/schema_version", "1.0", "/schema_version type"}, {"/components", "", " required"},
			{"/components/0", `"app"`, "/components/0 pattern"}, {"/components/0", `"artifact.App"`, "/components/0 pattern"}, {"/components/0", `"artifact.a--b"`, "/components/0 pattern"},
			{"/recipes/0", `"1"`, "/recipes/0 pattern"}, {"/recipes/0", `"app-2"`, "/recipes uniqueItems"}, {"/x", "1", "/x additionalProperties"}, {"/repository", `"a b"`, "/repository pattern"}, {"/repository", `""`, "/repository pattern"}},
	},
	schemas.Recipe: {
		valid: []string{`{"schema_version":1,"id":"app","summary":"An app","artifact":"artifact.app","required_components":["lifecycle.a"],"default_components":[],"optional_components":["topology.b"]}`},
		invalid: [][3]string{{"/id", `"app.json"`, "/id pattern"}, {"/summary", `""`, "/summary minLength"}, {"/required_components/0", `"artifact.a"`, "/required_components/0 pattern"},
			{"/default_components", "null", "/default_components type"}, {"/optional_components", "", " required"}, {"/artifact", `"app"`, "/artifact pattern"}},
	},
	schemas.Component: {
		valid: []string{`{"schema_version":1,"id":"capability.a","component_role":"capability","version":1,"summary":"A","requires":["foundation.a"],"conflicts":[],"parameters_schema":{"type":"object"},
			"contract_registrations":[{"id":"a_b","document":"contracts/a.json","schema":"schemas/a.schema.json","migration_slug":"a","document_schema_version":1,"version_history":[{"version":1,"change_type":"initial"}],"purpose":"p"}],
			"materials":[{"source":"files/a","destination":"a","ownership":"managed"},{"source":"files/a","destination":"b","ownership":"seed","compose":"include-v1"},{"destination":"c","ownership":"generated","generator":"anything"}]}`},
		invalid: [][3]string{{"/version", "0", "/version minimum"}, {"/version", "1e3", "/version type"}, {"/materials", "[]", "/materials minItems"}, {"/materials/0/source", "", "/materials/0 required"},
			{"/materials/0/command", `"rm"`, "/materials/0/command additionalProperties"}, {"/materials/2/generator", "", "/materials/2 required"}, {"/materials/0/generator", `"x"`, "/materials/0/generator false"},
			{"/materials/0/ownership", "", "/materials/0 required"}, {"/contract_registrations/0/version_history/0/migration", `"x"`, "/contract_registrations/0/version_history/0/migration additionalProperties"},
			{"/component_role", `"skill"`, "/component_role enum"}, {"/parameters_schema", `"x"`, "/parameters_schema type"}, {"/requires/0", `"x.y"`, "/requires/0 pattern"}},
	},
	schemas.Config: {
		valid: []string{`{"$schema":"x","schema_version":1,"recipe":"app","components":{"include":["capability.a"],"exclude":["topology.b"]},"parameters":{"artifact.a":{"any":1e9999}}}`,
			`{"schema_version":1,"recipe":"app"}`, `{"schema_version":1,"recipe":"app","components":{}}`},
		invalid: [][3]string{{"/components/include/0", `"artifact.a"`, "/components/include/0 pattern"}, {"/parameters/artifact.a", "[]", "/parameters/artifact.a type"}, {"/parameters/x", "{}", "/parameters/x pattern"}, {"/$schema", "1", "/$schema type"}},
	},
	schemas.Lock: {
		valid: []string{lock},
		invalid: [][3]string{{"/schema_version", "1", "/schema_version const"}, {"/source/revision", `"` + strings.Repeat("0", 40) + `"`, "/source/revision not"}, {"/source/revision", `"main"`, "/source/revision pattern"},
			{"/files/0/materialized_sha256", `"AB"`, "/files/0/materialized_sha256 pattern"}, {"/files/0/destination", `"/a"`, "/files/0/destination pattern"}, {"/files/0/destination", `"a\nb"`, "/files/0/destination pattern"}, {"/files/0/mode", "1", "/files/0/mode additionalProperties"},
			{"/intent/parameters", "null", "/intent/parameters type"}, {"/resolved_components", "[]", "/resolved_components minItems"}, {"/resolved_components/0/version", "true", "/resolved_components/0/version type"}, {"/recipe_sha256", "", " required"}},
	},
	schemas.Transaction: {
		valid: []string{`{"schema_version":1,"operation":"update","source":` + source + `,"old_lock_file_sha256":` + digest + `,"new_lock_file_sha256":` + digest + `,"old_lock":` + lock + `,"new_lock":` + lock + `,
			"actions":[{"action":"create","destination":"a","component":"artifact.app","ownership":"seed","to_sha256":` + digest + `},{"action":"replace","destination":"b","component":"artifact.app","ownership":"managed","from_sha256":` + digest + `,"to_sha256":` + digest + `},
			{"action":"remove","destination":"c","component":"artifact.app","ownership":"generated","from_sha256":` + digest + `}]}`},
		invalid: [][3]string{{"/operation", `"initial"`, "/operation enum"}, {"/actions/0/from_sha256", digest, "/actions/0/from_sha256 false"}, {"/actions/1/ownership", `"seed"`, "/actions/1/ownership enum"}, {"/actions/2/from_sha256", "", "/actions/2 required"},
			{"/new_lock/files", "[]", "/new_lock/files minItems"}, {"/actions/0/action", `"adopt"`, "/actions/0/action enum"}},
	},
	schemas.InitialPlan: {
		valid: []string{`{"schema_version":2,"operation":"initial","source":` + source + `,"intent":` + intent + `,"configuration_sha256":` + digest + `,"composition":{"algorithm":"compose/lock-manifest/v1","to":` + digest + `},
			"resolved_components":["artifact.app"],"actions":[{` + place + `,"action":"adopt-identical","to_sha256":` + digest + `}],"conflicts":[{"code":"DESTINATION_CONFLICT","destination":"a","reason":"symlink","message":"m","component":"artifact.app","link":"x"}],"lock_preview":` + lock + `}`},
		invalid: [][3]string{{"/schema_version", "1", "/schema_version const"}, {"/actions/0/action", `"replace"`, "/actions/0/action enum"}, {"/conflicts/0/reason", `"exists"`, "/conflicts/0/reason enum"}, {"/composition/from", digest, "/composition/from additionalProperties"}, {"/lock_preview", "null", "/lock_preview type"}},
	},
	schemas.UpdatePlan: {
		valid: []string{`{"schema_version":1,"operation":"update","from_revision":` + revision + `,"to_revision":` + revision + `,"intent":` + intent + `,"composition":` + compared + `,"recipe":{"id":"app",` + change + `},"components":` + components + `,"files":` + files + `,"conflicts":` + conflicts + `,"lock_preview":` + lock + `}`},
		invalid: [][3]string{{"/configuration", "{}", "/configuration additionalProperties"}, {"/files/preserve/0/ownership", `"managed"`, "/files/preserve/0/ownership const"}, {"/files/conflict/0/destination", "", "/files/conflict/0 required"},
			{"/components/changed/0/to_version", "1.5", "/components/changed/0/to_version type"}, {"/files/create/0/from_sha256", digest, "/files/create/0/from_sha256 additionalProperties"}, {"/conflicts/0/message", "", "/conflicts/0 required"}},
	},
	schemas.UpgradePlan: {
		valid:   []string{`{"schema_version":1,"operation":"upgrade","from_revision":` + revision + `,"to_revision":` + revision + `,"intent":{"from":` + intent + `,"to":` + intent + `},"configuration":{` + change + `},"composition":` + compared + `,"recipe":{"from_id":"app","to_id":"b",` + change + `},"components":` + components + `,"files":` + files + `,"conflicts":[],"lock_preview":` + lock + `}`},
		invalid: [][3]string{{"/intent", intent, "/intent required|/intent required|/intent/components additionalProperties|/intent/parameters additionalProperties|/intent/recipe additionalProperties"}, {"/operation", `"update"`, "/operation const"}, {"/recipe/from_id", "", "/recipe required"}},
	},
	schemas.ApplyResult: {
		valid: []string{`{"status":"applied","operation":"initial","source":` + source + `,"composition":` + digest + `,"created":["a"],"adopted":[],"replaced":[],"removed":[],"preserved":[]}`,
			`{"status":"conflict","operation":"update","conflicts":` + conflicts + `}`},
		invalid: [][3]string{{"/created", "", " required"}, {"/created", "null", "/created type"}, {"/conflicts", conflicts, "/conflicts false"}, {"/status", `"done"`, "/status enum"}},
	},
	schemas.ValidateResult: {
		valid: []string{`{"status":"invalid","composition":` + digest + `,"checked":3,"errors":[{"code":"MATERIAL_MODIFIED","destination":"a","message":"m","line_endings_only":true}]}`,
			`{"status":"invalid","composition":null,"checked":0,"errors":[{"code":"LOCK_MISSING","message":"m"}]}`},
		invalid: [][3]string{{"/composition", `"x"`, "/composition pattern"}, {"/composition", "", " required"}, {"/checked", "-1", "/checked minimum"}, {"/errors", "null", "/errors type"}, {"/errors/0/message", `""`, "/errors/0/message minLength"}},
	},
	schemas.InspectResult: {
		valid: []string{`{"state":"managed-interrupted","source":` + source + `,"recipe":"app","composition":` + digest + `,"files":{"managed":1,"generated":0,"seed":2},"errors":[],"transaction":{"operation":"update","revision":` + revision + `,"done":["a"],"pending":["b","c"],"blocked":[]},"next":["compose apply"]}`,
			`{"state":"absent","source":null,"recipe":null,"composition":null,"files":null,"errors":[],"next":[]}`},
		invalid: [][3]string{{"/state", `"managed"`, "/state enum"}, {"/files/seed", "", "/files required"}, {"/next", "", " required"}, {"/transaction/done", `"1"`, "/transaction/done type"}},
	},
	schemas.CatalogCheck: {
		valid: []string{`{"status":"invalid","errors":[{"code":"INVALID_COMPONENT","path":"components/a/component.json","pointer":"/id","line":3,"column":5,"message":"m"},{"code":"SOURCE_LFS_POINTER","path":"components/a/x","message":"m","named_at":{"path":"components/a/component.json","pointer":"/materials/0/source","line":9,"column":7}}]}`,
			`{"status":"valid","errors":[]}`, `{"status":"invalid","errors":[{"code":"ERR_INCLUDE_NOT_FOUND","path":"partials/a","line":1,"message":"m"}]}`},
		invalid: [][3]string{{"/errors/0/path", "", "/errors/0 required"}, {"/errors/0/hint", `"x"`, "/errors/0/hint additionalProperties"}, {"/status", `"ok"`, "/status enum"},
			{"/errors/0/line", "", "/errors/0 dependentRequired"}, {"/errors/0/column", "0", "/errors/0/column minimum"}, {"/errors/1/named_at/pointer", "", "/errors/1/named_at required"}},
	},
	schemas.InitResult: {
		valid: []string{`{"status":"written","schema":"composition.schema.json","revision":` + revision + `,"configuration":"composition.json","recipe":"app","components":["artifact.app"],"next":["compose plan"]}`,
			`{"status":"written","schema":"composition.schema.json","revision":` + revision + `,"next":[]}`},
		invalid: [][3]string{{"/recipe", "", " dependentRequired"}, {"/revision", `"main"`, "/revision pattern"}, {"/next", "", " required"}},
	},
	schemas.ScaffoldResult: {
		valid:   []string{`{"status":"written","dir":".","component":"capability.a","created":["components/capability.a/component.json"],"kept":[],"replaced":["catalog/catalog.json"],"next":["git add catalog"]}`},
		invalid: [][3]string{{"/kept", "null", "/kept type"}, {"/dir", "", " required"}, {"/created/0", `""`, "/created/0 minLength"}},
	},
	schemas.HashResult: {
		valid: []string{`{"results":[{"path":"a","algorithm":"sc-sha/text","digest":` + digest + `},{"path":"b","code":"SC_SHA_INVALID_UTF8","message":"m"},{"path":"c","algorithm":"sha256-tree-v2","digest":"sha256-tree-v2:` + strings.Repeat("ab", 32) + `","legacy":` + digest + `}]}`,
			`{"algorithm":"sc-sha/manifest/v1","digest":` + digest + `}`,
			`{"source_composition_sha256":` + digest + `,"rendered_output_sha256":` + digest + `,"skillrx_composition_sha256":` + digest + `,"manifest":{"schema":"sc-sha/manifest/v1","nodes":[{"source":{"kind":"local_path","value":"a"},"sha256":` + digest + `}],"edges":[{"parent":{"kind":"local_path","value":"a"},"child":{"kind":"url","value":"b"},"occurrence":0}]},
				"tree":[{"path":"a","node_sha256":` + digest + `,"composition_sha256":` + digest + `,"edges":[{"include_path":"b","child_sha":` + digest + `,"occurrence":0}]}],"matches":true}`},
		invalid: [][3]string{{"/results/0/digest", "", " oneOf"}, {"/results/1/matches", "true", " oneOf"}, {"/results", "null", " oneOf"}},
	},
	schemas.SkillsResult: {
		valid: []string{`{"skills":[{"name":"a","folder":".agents/skills/a","recorded":` + digest + `,"verdict":"match","form":"folder","digest":"sha256-tree-v2:` + strings.Repeat("ab", 32) + `","reasons":[{"reason":"other-locale","message":"m","locales":["sv"]}]},
			{"name":"b","folder":null,"recorded":null,"verdict":"missing","form":null,"digest":null,"reasons":[{"reason":"tied-names","message":"m","paths":["a"]}]}]}`,
			`{"pin":"skills-pin.json","skills":[]}`},
		invalid: [][3]string{{"/skills/0/verdict", `"maybe"`, "/skills/0/verdict enum"}, {"/skills/0/form", `"x"`, "/skills/0/form enum"}, {"/skills/0/folder", "", "/skills/0 required"}, {"/skills/0/digest", digest, "/skills/0/digest pattern"},
			{"/skills/1/reasons/0/reason", `"x"`, "/skills/1/reasons/0/reason enum"}, {"/skills/0/x", "1", "/skills/0/x additionalProperties"}},
	},
	schemas.SourceResolve: {
		valid:   []string{`{"url":"https://example.org/a.git","ref":"refs/heads/main","revision":` + revision + `}`},
		invalid: [][3]string{{"/revision", `"main"`, "/revision pattern"}, {"/url", "", " required"}, {"/ref", `""`, "/ref minLength"}, {"/x", "1", "/x additionalProperties"}},
	},
	schemas.SourceList: {
		valid:   []string{`{"url":"git@example.org:a.git","tags":[{"name":"v1","revision":` + revision + `}]}`, `{"url":"/srv/a","tags":[]}`},
		invalid: [][3]string{{"/tags/0/revision", `"1A"`, "/tags/0/revision pattern"}, {"/tags/0/name", "", "/tags/0 required"}, {"/tags", "null", "/tags type"}},
	},
	schemas.CacheResult: {
		valid: []string{`{"entries":[{"url":"https://example.org/a.git","revisions":[` + revision + `],"bytes":1024,"removed":false,"fault":"damaged"}]}`,
			`{"entries":[{"url":null,"revisions":[],"bytes":0,"removed":true}]}`, `{"entries":[]}`},
		invalid: [][3]string{{"/entries/0/bytes", "-1", "/entries/0/bytes minimum"}, {"/entries/0/removed", "", "/entries/0 required"}, {"/entries/0/fault", `""`, "/entries/0/fault minLength"}, {"/entries/0/url", "1", "/entries/0/url type"}},
	},
	schemas.GraphResult: {
		valid: []string{`{"source":{"repository":"example-org/templates","revision":` + revision + `},"recipe":{"id":"app","summary":"An app"},"components":[` +
			`{"id":"artifact.app","role":"artifact","version":1,"summary":"An app","reason":"artifact","requires":["lifecycle.state"],"needed_by":[],"conflicts":["capability.old"],` +
			`"files":{"managed":1,"generated":0,"seed":0},"folders":[{"path":".","managed":1,"generated":0,"seed":0}]}],"outside":[{"id":"capability.old","summary":"Old"}]}`},
		invalid: [][3]string{{"/components/0/reason", `"luck"`, "/components/0/reason enum"}, {"/components/0/files/seed", "-1", "/components/0/files/seed minimum"}, {"/components/0/folders", "[]", "/components/0/folders minItems"},
			{"/components/0/needed_by", "", "/components/0 required"}, {"/components", "[]", "/components minItems"}, {"/outside/0/id", `""`, "/outside/0/id minLength"}, {"/source/revision", `"1A"`, "/source/revision pattern"}},
	},
	schemas.ExplainResult: {
		valid: []string{`{"operation":"update","recipe":"app","locked":` + source + `,"source":` + source + `,"conflicts":1,"not_known":null,"files":[` +
			`{"destination":"a","component":"artifact.app","ownership":"managed","origin":{"revision":` + revision + `,"version":1,"selected":"artifact","chain":["artifact.app"],"kind":"composed","source":"components/artifact.app/a","includes":["partials/b.md"],` +
			`"changed":{"revision":` + revision + `,"date":"2026-02-01T00:00:00Z","subject":"s"}},"locked":{"component":"artifact.app","version":1,"ownership":"managed","sha256":` + digest + `},"current":{"state":"modified","sha256":` + digest + `},` +
			`"plan":{"action":"conflict","conflict":` + fileConflict + `,"component_conflict":{"code":"COMPONENT_VERSION_UPGRADE_REQUIRED","component":"artifact.app","message":"upgrade"}}},` +
			`{"destination":"g","component":"artifact.app","ownership":"generated","origin":{"revision":` + revision + `,"version":1,"selected":"include","chain":["capability.a","artifact.app"],"kind":"generated","generator":"contract-manifest-v1","registered_by":[],"changed":{"code":"HISTORY_UNAVAILABLE","message":"m","hint":"h"}},` +
			`"locked":null,"current":{"state":"symlink","at":"b"},"plan":{"action":"replace","to_sha256":` + digest + `,"includes":{"added":[],"removed":[],"changed":["partials/b.md"]}}}],` +
			`"errors":[{"code":"DESTINATION_UNKNOWN","destination":"b","message":"m","suppliers":["capability.b"],"near":["a"]}]}`,
			`{"operation":"update","recipe":"app","locked":` + source + `,"source":null,"conflicts":null,"not_known":{"code":"SOURCE_IDENTITY_MISMATCH","message":"m"},"files":[{"destination":"a","component":"artifact.app","ownership":"seed","origin":null,` +
				`"locked":{"component":"artifact.app","version":1,"ownership":"seed","sha256":` + digest + `},"current":{"state":"as-locked","sha256":` + digest + `},"plan":null,"not_known":{"code":"READ_FAILED","message":"m"}}],"errors":[]}`},
		invalid: [][3]string{{"/operation", `"plan"`, "/operation enum"}, {"/source", "", " required"}, {"/conflicts", "-1", "/conflicts minimum"}, {"/files/0/origin/chain", "[]", "/files/0/origin/chain minItems"},
			{"/files/0/current/state", `"fine"`, "/files/0/current/state enum"}, {"/files/0/plan/action", `"merge"`, "/files/0/plan/action enum"}, {"/errors/0/code", `"USAGE"`, "/errors/0/code const"}, {"/files/0/locked", "", "/files/0 required"}},
	},
	schemas.HelpResult: {
		valid:   []string{`{"topic":"recovery","text":"# Recovery\n"}`, `{"topics":[{"name":"recovery","summary":"s"}],"commands":[]}`},
		invalid: [][3]string{{"/topic", `""`, " oneOf"}, {"/text", "", " oneOf"}, {"/topics", "[]", " oneOf"}},
	},
	schemas.Completion: {
		valid:   []string{`{"shell":"bash","script":"complete"}`},
		invalid: [][3]string{{"/shell", `"sh"`, "/shell enum"}, {"/script", `""`, "/script minLength"}, {"/x", "1", "/x additionalProperties"}},
	},
	schemas.ReportResult: {
		valid: []string{`{"operation":"update","recipe":"app","repository":"example-org/templates","from_revision":` + revision + `,"to_revision":` + revision + `,"writes":false,` +
			`"files":{"conflict":1,"create":0,"replace":2,"remove":0,"adopt":0,"preserve":0,"unchanged":9},"lines":{"added":3,"removed":1,"uncompared":0},"components":{"added":0,"changed":1,"removed":0,"unchanged":3},` +
			`"written":{"as":"markdown","bytes":2000,"left_out":{"conflicts":0,"ways":0,"components":0,"files":1,"lines":2,"graph":true}}}`,
			`{"operation":"initial","recipe":"app","repository":"example-org/templates","from_revision":null,"to_revision":` + revision + `,"writes":true,` +
				`"files":{"conflict":0,"create":1,"replace":0,"remove":0,"adopt":0,"preserve":0,"unchanged":0},"lines":{"added":3,"removed":0,"uncompared":0},"components":{"added":1,"changed":0,"removed":0,"unchanged":0}}`},
		invalid: [][3]string{{"/operation", `"plan"`, "/operation enum"}, {"/from_revision", "", " required"}, {"/files/conflict", "-1", "/files/conflict minimum"}, {"/files/adopt", "", "/files required"},
			{"/lines/added", "1.0", "/lines/added type"}, {"/written/as", `"pdf"`, "/written/as enum"}, {"/written/left_out/graph", "0", "/written/left_out/graph type"}, {"/written/left_out/x", "0", "/written/left_out/x additionalProperties"}},
	},
	schemas.SkillsPin: {
		valid:   []string{`{"schema_version":1,"skills":{"a":{"digest":"sha256-tree-v2:` + strings.Repeat("ab", 32) + `"}}}`, `{"schema_version":1,"skills":{}}`},
		invalid: [][3]string{{"/schema_version", "2", "/schema_version const"}, {"/skills/a/digest", digest, "/skills/a/digest pattern"}, {"/skills/a/digest", "", "/skills/a required"}, {"/skills/a/time", "1", "/skills/a/time additionalProperties"}},
	},
	schemas.DemoResult: {
		valid: []string{`{"status":"done","steps":[{"what":"Look","command":"compose inspect --target my-skill","exit":0,"saw":["state: absent"]},{"what":"Edit","command":"","exit":0,"saw":[]}]}`},
		invalid: [][3]string{{"/status", `"error"`, "/status const"}, {"/steps/0/saw", "null", "/steps/0/saw type"}, {"/steps/0/exit", `"0"`, "/steps/0/exit type"}, {"/steps/1/command", "", "/steps/1 required"},
			{"/steps/0/x", "1", "/steps/0/x additionalProperties"}},
	},
	schemas.VersionResult: {
		valid:   []string{`{"name":"compose","version":"0.1.0"}`},
		invalid: [][3]string{{"/name", `"other"`, "/name const"}, {"/version", `""`, "/version minLength"}, {"/version", "", " required"}, {"/x", "1", "/x additionalProperties"}},
	},
	schemas.Policy: {
		valid: []string{`{"$schema":"x","schema_version":1,"repositories":["example-org/templates"],"sources":["https://git.example.org/*","local"],"signers":["a@example.org ssh-ed25519 AAAA"],
			"openpgp":["-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n"]}`, `{"schema_version":1}`},
		invalid: [][3]string{{"/schema_version", "", " required"}, {"/schema_version", "2", "/schema_version const"}, {"/repositories", "[]", "/repositories minItems"}, {"/repositories", `["a","a"]`, "/repositories uniqueItems"},
			{"/repositories/0", `"a//b"`, "/repositories/0 pattern"}, {"/sources/0", `""`, "/sources/0 minLength|/sources/0 pattern"}, {"/sources/0", `"a\u0085"`, "/sources/0 pattern"}, {"/signers/0", `"# a"`, "/signers/0 pattern"},
			{"/signers/0", `"a\nb"`, "/signers/0 pattern"}, {"/openpgp/0", `"AAAA"`, "/openpgp/0 pattern"}, {"/openpgp", "null", "/openpgp type"}, {"/signer", "[]", "/signer additionalProperties"}},
	},
	schemas.ErrorResult: {
		valid:   []string{`{"status":"error","code":"UNKNOWN_RECIPE","message":"m","hint":"h","path":"p","details":{}}`, `{"status":"error","code":"USAGE","message":"m"}`},
		invalid: [][3]string{{"/code", `"usage"`, "/code pattern"}, {"/status", `"ok"`, "/status const"}, {"/message", `""`, "/message minLength"}},
	},
}

func TestSamples(t *testing.T) {
	for _, name := range schemas.Names() {
		sample := samples[name]
		if len(sample.valid) == 0 || len(sample.invalid) == 0 {
			t.Errorf("%s has no samples", name)
			continue
		}
		for _, text := range sample.valid {
			if got := schemas.Validate(name, parse(t, text)); len(got) > 0 {
				t.Errorf("%s: %s\ngot %v", name, text, got)
			}
		}
		for _, bad := range sample.invalid {
			t.Run(name+bad[0]+"="+bad[1][:min(len(bad[1]), 20)], func(t *testing.T) {
				var got []string
				for _, v := range schemas.Validate(name, parse(t, changed(t, sample.valid[0], bad[0], bad[1]))) {
					got = append(got, v.Pointer+" "+v.Rule)
				}
				if strings.Join(got, "|") != bad[2] {
					t.Errorf("got %q; want %q", got, bad[2])
				}
			})
		}
	}
}

func parse(t *testing.T, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), 0)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// changed returns a document with another value at a pointer, or, for the value "", without it.
func changed(t *testing.T, text, pointer, value string) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	at := doc
	tokens := strings.Split(pointer[1:], "/")
	for _, token := range tokens[:len(tokens)-1] {
		if list, ok := at.([]any); ok {
			i, _ := strconv.Atoi(token)
			at = list[i]
		} else {
			at = at.(map[string]any)[token]
		}
	}
	switch last := tokens[len(tokens)-1]; at := at.(type) {
	case []any:
		i, _ := strconv.Atoi(last)
		at[i] = json.RawMessage(value)
	case map[string]any:
		if at[last] = json.RawMessage(value); value == "" {
			delete(at, last)
		}
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func Example() {
	doc, err := strictjson.Parse([]byte(`{"schema_version": 1.0, "recipe": "app"}`), 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range schemas.Validate(schemas.Config, doc) {
		fmt.Printf("%s: %s\n", v.Pointer, v.Message)
	}
	// Output:
	// /schema_version: is 1.0; want an integer, written without a point or an exponent
}
