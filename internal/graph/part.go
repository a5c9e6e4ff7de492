package graph

// clash is a place where a wire goes on to the right while another one, with a track further right, still comes from the
// left: they would share a line.
type clash struct {
	out, in int // nets
	y       int // where the first goes out
}

// clashes finds the places that no order of the tracks avoids; none where there are too many wires to compare.
func (d *drawing) clashes(c int) []clash {
	wires, bent := d.arranged(c)
	if len(bent) > maxArranged {
		return nil
	}
	var list []clash
	for k, i := range bent {
		for _, j := range bent[k+1:] {
			for _, y := range wires[i].to {
				if distance := y - wires[j].from; distance < clear && distance > -clear {
					list = append(list, clash{wires[i].net, wires[j].net, y})
				}
			}
		}
	}
	return list
}

// part moves ends of wires by a few pixels while that leaves fewer clashes in a channel.
func (d *drawing) part(c int) {
	for found := d.clashes(c); len(found) > 0; {
		left := len(found)
		for _, clash := range found {
			if d.partOne(c, clash, left) {
				break
			}
		}
		if found = d.clashes(c); len(found) >= left {
			return
		}
	}
}

// partOne reports whether a move leaves fewer clashes; any other is taken back.
func (d *drawing) partOne(c int, found clash, left int) bool {
	better := func() bool { return len(d.clashes(c)) < left }
	segments := d.channels[c].segments
	for _, step := range []int{6, -6, 10, -10, 16, -16} {
		if d.moveStart(c, found.in, step) {
			if better() {
				return true
			}
			d.moveStart(c, found.in, -step)
		}
		for k := range segments {
			s := &segments[k]
			if s.net != found.out || d.items[s.to].y+s.enters != found.y {
				continue
			}
			enters, y := s.enters, d.items[s.to].y
			if d.moveEnd(c, k, step) {
				if better() {
					return true
				}
				s.enters, d.items[s.to].y = enters, y
			}
			d.push(s.to, max(step, -step))
			if better() {
				return true
			}
			d.push(s.to, -max(step, -step))
		}
	}
	return false
}

// moveStart moves the place where a net leaves its node, and reports whether it leaves one here and stays clear of the corners.
func (d *drawing) moveStart(c, net, step int) bool {
	moved := false
	for k := range d.channels[c].segments {
		s := &d.channels[c].segments[k]
		if from := &d.items[s.from]; s.net == net && from.node >= 0 {
			if at := s.leaves + step; at < radius || at > from.h-radius {
				return moved
			}
			s.leaves += step
			moved = true
		}
	}
	return moved
}

// push moves an item and all that is below it in its column.
func (d *drawing) push(i, step int) {
	it := &d.items[i]
	for _, below := range d.columns[it.column][it.at:] {
		d.items[below].y += step
	}
}
