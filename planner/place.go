package planner

import (
	"context"
	"errors"

	"example.org/compose/catalog"
	"example.org/compose/internal/rootfs"
	"example.org/compose/lockv2"
)

// place is one destination as the old lock, the new composition and the target have it.
type place struct {
	destination lockv2.Destination
	old         *lockv2.File // nil: not in the old lock
	new         *Material    // nil: nothing supplies it any more

	// What stands at a destination of the old lock.
	sum   rootfs.Sum    // of the regular file; LF only where the lock asks for other bytes
	fault *rootfs.Error // why there is no regular file that could be read; nil for none

	obstacle *Conflict // what stands where a new destination belongs; nil for nothing
}

// pair joins the files of the old lock and the new materials, both by destination, into places, by destination.
func pair(files []lockv2.File, materials []Material) []place {
	places := make([]place, 0, max(len(files), len(materials)))
	for i, k := 0, 0; i < len(files) || k < len(materials); {
		var p place
		if k == len(materials) || i < len(files) && files[i].Destination <= materials[k].Destination {
			p.old, p.destination = &files[i], files[i].Destination
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

// look finds out what stands at every place. A file of the old lock is read where it should be; on the way to a
// new destination the folders are listed, so that nothing in another spelling is missed.
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
	var read []int
	for i, k := 0, 0; i < len(places); i++ {
		if places[i].old != nil {
			read = append(read, i)
			continue
		}
		places[i].obstacle = seen.found[k].conflict
		if seen.found[k].present {
			read = append(read, i)
		}
		k++
	}
	return rootfs.Each(ctx, len(read), func(k int, buf []byte) {
		p := &places[read[k]]
		if p.old != nil {
			p.lookAtOld(ctx, root, buf)
		} else {
			p.lookAtObstacle(ctx, root, buf)
		}
	})
}

// longest is the size past which a file can't be a material, not even with CRLF for every LF.
const longest = 2 * catalog.MaxMaterial

func (p *place) lookAtOld(ctx context.Context, root target, buf []byte) {
	sum, err := root.Digest(ctx, p.destination, buf)
	if err == nil && p.old.Ownership != lockv2.Seed && sum.Digest != p.old.Digest && sum.Size <= longest {
		sum, err = root.DigestLF(ctx, p.destination, buf) // only a file that differs is read twice
	}
	p.sum = sum
	if !errors.As(err, &p.fault) && err != nil { // the context ended, which Each reports
		p.fault = &rootfs.Error{Destination: p.destination, At: string(p.destination), Reason: rootfs.Unreadable}
	}
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
