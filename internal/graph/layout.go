package graph

// drawing is a layered graph on its way to places: nodes in columns from left to right, joined by nets.
//
// A net is all that leads from one node to others in one style. It runs as one tree: through each column between its ends
// in one lane, and up and down in the channels between columns, where no two nets share a line. So the number of lines grows with the
// nodes and not with the edges, and no line crosses a node.
type drawing struct {
	nodes []node
	nets  []net

	items    []item  // the nodes, by their places, then the lanes
	columns  [][]int // the items of each column, from top to bottom
	channels []channel
	width    int
	height   int
}

// node is one box. Whoever makes it gives its size; the rest is found.
type node struct {
	w, h         int
	aside        bool // stands beside what leads to it, whatever room there is
	column, x, y int
}

// net leads from one node to others, which all stand further right in the end.
type net struct {
	from int
	to   []int
	low  bool // leaves its node below the middle, because another net leaves it there
}

// item is what stands in a column: a node or the lane of a net.
type item struct {
	node   int // -1 for a lane
	net    int // of a lane
	h, y   int
	at     int // in its column, from the top
	column int

	left, right []int // the segments that end and that begin here
}

// channel is the room between a column and the next.
type channel struct {
	segments []segment
	wires    []wire
	left     int // where it begins
	right    int
}

// segment joins an item to one in the next column.
type segment struct {
	net, from, to  int // from and to are items
	leaves, enters int // where on the item, from its top
}

// Distances in pixels.
const (
	laneHeight = 6
	gapNodes   = 18 // between two boxes in a column
	gapLane    = 10 // between a lane and a box
	gapLanes   = 6
	portGap    = 9 // between two lines that enter a box
	trackGap   = 9 // between two lines that run up and down in a channel
	channelEnd = 22
	lowPort    = 12 // below the middle
)

// lay finds the place of everything.
func (d *drawing) lay() {
	d.layer()
	d.lanes()
	d.order()
	d.ports()
	d.place()
	d.route()
	d.measure()
}
