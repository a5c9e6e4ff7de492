package graph_test

import (
	"fmt"
	"slices"
	"strings"

	"example.org/compose/internal/graph"
	"example.org/compose/lockv2"
)

// part is one component of a sample.
type part struct {
	id       string
	reason   graph.Reason
	requires string // ids, by spaces
	files    string // FOLDER=MANAGED/GENERATED/SEED, by spaces
	summary  string
}

// small is what a first composition looks like.
var small = []part{
	{"artifact.skill", graph.Artifact, "foundation.repository lifecycle.composition-state", "skill=2/0/1 .=0/0/1", "An agent skill: its text, references and a manifest"},
	{"capability.ci", graph.Default, "foundation.repository", ".github/workflows=3/0/0 scripts/ci=4/0/0", "Continuous integration for every push"},
	{"capability.lint", graph.Included, "capability.ci", ".=2/0/0", "Formatting and static checks, the same ones for all repositories of the platform"},
	{"foundation.repository", graph.Needed, "", ".=3/0/1 docs=1/0/2", "Licence, ignore files and the folder structure"},
	{"lifecycle.composition-state", graph.Required, "", ".template-composition=1/0/0 contracts=0/1/0", "What compose keeps of itself in the repository"},
}

// medium is a service.
var medium = slices.Concat(small[1:4], []part{
	{"artifact.service", graph.Artifact, "foundation.repository lifecycle.composition-state capability.container", "cmd/service=1/0/2 internal/app=0/0/3", "A service with an HTTP interface"},
	{"lifecycle.composition-state", graph.Needed, "", ".template-composition=1/0/0 contracts=0/1/0", "What compose keeps of itself in the repository"},
	{"capability.container", graph.Default, "foundation.repository capability.supply-chain", "build=3/0/0 .=1/0/0", "An image from scratch"},
	{"capability.supply-chain", graph.Needed, "capability.ci", ".github/workflows=2/0/0 security=2/1/0", "Signatures, SBOM and provenance"},
	{"capability.observability", graph.Default, "capability.configuration", "internal/telemetry=6/0/0 dashboards/service=2/0/0 dashboards/alerts=3/0/0", "Traces, metrics and logs"},
	{"capability.configuration", graph.Needed, "foundation.repository", "internal/config=4/0/0 config=0/0/3", "Settings from files and the environment"},
	{"capability.database", graph.Included, "capability.configuration lifecycle.migrations", "internal/store=5/0/0 db/queries=0/3/0", "PostgreSQL with generated queries"},
	{"lifecycle.migrations", graph.Needed, "capability.ci", "db/migrations=0/0/1 scripts/db=3/0/0", "Forward migrations that are checked in CI"},
	{"lifecycle.release", graph.Default, "capability.supply-chain", "release=2/0/1 .=0/0/1", "Versions, change log, release"},
	{"topology.single-region", graph.Default, "capability.container", "deploy/base=6/0/0 deploy/overlays/production=2/0/1 deploy/overlays/staging=2/0/1", "One region, two environments"},
	{"workspace.devcontainer", graph.Default, "capability.container", ".devcontainer=2/0/0", "A container to work in"},
	{"capability.feature-flags", graph.Included, "capability.configuration capability.observability", "internal/flags=3/0/0", "Flags that are switched without a release"},
})

// large has fifty components: the service, and the parts of a platform in three layers.
func large(n int) []part {
	names := strings.Fields("access-log audit backup billing blob-store cache calendar catalog-sync change-feed circuit-breaker comments coupons cron-jobs data-export digest-mail documents dunning email events feature-tours geo-index graph-api health-checks image-resize inbox invoices key-rotation ledger locale mailing-lists metering notifications oauth outbox payments pdf-render profiles pubsub quotas rate-limits reports search sessions sms tagging tenancy throttling uploads webhooks workflows")
	parts := slices.Clone(medium)
	for i := 0; len(parts) < n; i++ {
		p := part{id: "capability." + names[i%len(names)], reason: graph.Default, summary: "Part of the platform: " + names[i%len(names)]}
		if i >= len(names) {
			p.id += fmt.Sprintf("-%d", i)
		}
		p.files = fmt.Sprintf("internal/%s=%d/0/1 docs/%s=1/0/0", names[i%len(names)], 2+i%7, names[i%len(names)])
		switch {
		case i%3 == 0:
			p.requires = "capability.configuration"
		case i%3 == 1 && i > 4:
			p.requires = parts[len(parts)-1].id + " " + parts[len(parts)-4].id + " foundation.repository"
		case i%5 == 2:
			p.requires = "capability.database " + parts[len(parts)-2].id
		}
		if i%6 == 0 {
			p.reason, parts[4].requires = graph.Needed, parts[4].requires+" "+p.id
		}
		parts = append(parts, p)
	}
	// what is required by nobody but said to be needed hangs below the artifact
	i := slices.IndexFunc(parts, func(p part) bool { return p.reason == graph.Artifact })
	for _, p := range parts {
		if p.reason == graph.Needed && !slices.ContainsFunc(parts, func(q part) bool { return slices.Contains(strings.Fields(q.requires), p.id) }) {
			parts[i].requires += " " + p.id
		}
	}
	return parts
}

// model makes a model of parts; conflicts are pairs INSIDE OUTSIDE.
func model(recipe, summary string, parts []part, conflicts ...[2]string) *graph.Model {
	m := &graph.Model{
		Source: lockv2.Source{Repository: "example-org/templates", Revision: "4b825dc642cb6eb9a060e54bf8d69288fbee4904"},
		Recipe: graph.Recipe{ID: lockv2.RecipeID(recipe), Summary: summary},
	}
	for _, p := range parts {
		c := graph.Component{ID: lockv2.ComponentID(p.id), Version: int64(1 + len(p.id)%4), Summary: p.summary, Reason: p.reason}
		for id := range strings.FieldsSeq(p.requires) {
			c.Requires = append(c.Requires, lockv2.ComponentID(id))
		}
		slices.Sort(c.Requires)
		c.Requires = slices.Compact(c.Requires)
		for text := range strings.FieldsSeq(p.files) {
			var f graph.Folder
			path, counts, _ := strings.Cut(text, "=")
			f.Path = strings.TrimPrefix(path, ".")
			if path != "." {
				f.Path = path
			}
			fmt.Sscanf(counts, "%d/%d/%d", &f.Managed, &f.Generated, &f.Seed)
			c.Folders = append(c.Folders, f)
		}
		slices.SortFunc(c.Folders, func(a, b graph.Folder) int { return strings.Compare(a.Path, b.Path) })
		m.Components = append(m.Components, c)
	}
	slices.SortFunc(m.Components, func(a, b graph.Component) int { return strings.Compare(string(a.ID), string(b.ID)) })
	for i := range m.Components {
		for j := range m.Components {
			if slices.Contains(m.Components[j].Requires, m.Components[i].ID) {
				m.Components[i].NeededBy = append(m.Components[i].NeededBy, m.Components[j].ID)
			}
		}
		for _, pair := range conflicts {
			if string(m.Components[i].ID) == pair[0] {
				m.Components[i].Conflicts = append(m.Components[i].Conflicts, lockv2.ComponentID(pair[1]))
				m.Outside = append(m.Outside, graph.Outside{ID: lockv2.ComponentID(pair[1]), Summary: "Another way"})
			}
		}
	}
	slices.SortFunc(m.Outside, func(a, b graph.Outside) int { return strings.Compare(string(a.ID), string(b.ID)) })
	m.Outside = slices.Compact(m.Outside)
	return m
}

// samples are the pictures that have been looked at.
func samples() map[string]*graph.Model {
	return map[string]*graph.Model{
		"small":  model("skill", "An agent skill that is linted and released", small, [2]string{"capability.lint", "capability.legacy-lint"}),
		"medium": model("service", "A service with everything that the platform asks for", medium, [2]string{"capability.lint", "capability.legacy-lint"}, [2]string{"capability.database", "capability.embedded-store"}, [2]string{"topology.single-region", "topology.multi-region"}),
		"large":  model("platform", "Fifty components", large(50), [2]string{"capability.lint", "capability.legacy-lint"}, [2]string{"capability.database", "capability.embedded-store"}),
	}
}
