package planner

import (
	"context"
	"errors"

	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// place is one destination as the old lock, the new composition and the target have it.
type place struct {
	destination lockv2.Destination
	old         *lockv2.File // nil: not in the old lock
	new         *Material    // nil: nothing supplies it any more

	*standing // at a destination of the old lock; nil for another

	obstacle *Conflict // what stands where a new destination belongs; nil for nothing
}

// pair joins the files of the old lock, what stands in their places, and the new materials, all by destination, into places, by destination.
func pair(files []lockv2.File, stand []standing, materials []Material) []place {
	places := make([]place, 0, max(len(files), len(materials)))
	for i, k := 0, 0; i < len(files) || k < len(materials); {
		var p place
		if k == len(materials) || i < len(files) && files[i].Destination <= materials[k].Destination {
			p.old, p.standing, p.destination = &files[i], &stand[i], files[i].Destination
			i++
		}
		if k < len(materials) && (p.old == nil || materials[k].Destination == p.destination) {
			p.new, p.destination = &materials[k], materials[k].Destination
			k++
		}
		places = append(places, p)
	}
	return places
}

// look finds out what stands where a new destination belongs. On the way to it the folders are listed, so that nothing in another spelling is missed.
func look(ctx context.Context, root target, places []place) error {
	seen := survey{root: root}
	var newcomers []int
	for i := range places {
		if places[i].old == nil {
			newcomers = append(newcomers, i)
			seen.materials = append(seen.materials, *places[i].new)
		}
	}
	seen.found = make([]finding, len(newcomers))
	if len(newcomers) > 0 {
		if err := seen.folder(ctx, "", 0, len(newcomers)); err != nil {
			return err
		}
	}
	var taken []int
	for k, i := range newcomers {
		places[i].obstacle = seen.found[k].conflict
		if seen.found[k].present {
			taken = append(taken, i)
		}
	}
	return rootfs.Each(ctx, len(taken), func(k int, buf []byte) {
		places[taken[k]].lookAtObstacle(ctx, root, buf)
	})
}

func (p *place) lookAtObstacle(ctx context.Context, root target, buf []byte) {
	info, err := root.Stat(p.destination)
	var sum *rootfs.Sum
	if err == nil && info.Mode().IsRegular() && info.Size() <= longest || err == nil && !info.Mode().IsRegular() {
		var found rootfs.Sum
		found, err = root.Digest(ctx, p.destination, buf)
		sum = &found
	}
	var fault *rootfs.Error
	switch {
	case errors.As(err, &fault) && fault.Reason == rootfs.Missing: // it went away meanwhile
	case errors.As(err, &fault):
		p.obstacle = blocked(p.destination, p.new.Component, fault)
	default:
		p.obstacle = exists(p.new, sum)
	}
}
