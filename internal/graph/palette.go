package graph

import "example.org/compose/lockv2"

// classRecipe is the class of the recipe in pictures; a component's is its role.
const classRecipe = "recipe"

// shade is how one class looks on a light or a dark ground.
type shade struct{ line, fill string }

// tone is one class of nodes: its shape is a path in a square of 14, so that colour alone never tells anything.
type tone struct {
	class       string
	light, dark shade
	shape       string
}

// palette has the classes in the order of the legend. Each line has a contrast of 4.5 and more against the ground of its theme.
var palette = []tone{
	{classRecipe, shade{"#374151", "#eceff3"}, shade{"#cbd5e1", "#2a323d"}, "M1 2h8l4 5-4 5H1z"},
	{string(lockv2.Artifact), shade{"#1d4ed8", "#e8eefc"}, shade{"#8db4ff", "#1b2a4a"}, "M1.5 1.5h11v11h-11z"},
	{string(lockv2.Capability), shade{"#047857", "#e4f5ee"}, shade{"#5fd3a8", "#123528"}, "M7 1a6 6 0 1 1 0 12a6 6 0 1 1 0-12z"},
	{string(lockv2.Lifecycle), shade{"#7c3aed", "#f1eafd"}, shade{"#c4a7ff", "#2e2150"}, "M7 0.5L13.5 7L7 13.5L0.5 7z"},
	{string(lockv2.Foundation), shade{"#92400e", "#fbf0e2"}, shade{"#f0b473", "#3a2813"}, "M7 1L13.5 13h-13z"},
	{string(lockv2.Topology), shade{"#be185d", "#fce8f1"}, shade{"#ff9cc4", "#42182c"}, "M4 1h6l3.5 6-3.5 6H4L0.5 7z"},
	{string(lockv2.Workspace), shade{"#0e7490", "#e2f4f8"}, shade{"#67d4ec", "#10343f"}, "M7 0.5L13.5 5.3L11 13H3L0.5 5.3z"},
}
