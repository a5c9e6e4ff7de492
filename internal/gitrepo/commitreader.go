package gitrepo

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/go-git/go-git/v5/plumbing"
)

// maxFastCommitBytes bounds the commits that are read through the window; larger ones are rare.
const maxFastCommitBytes = 32 << 10

// commitReader reads the parents and dates of many commits, for one goroutine. git packs the commits of a history
// beside one another, so it looks at a pack through a window instead of once for each.
type commitReader struct {
	repo    *Repository
	packs   []*pack // the one that held the last commit first
	inflate inflater
	window  packWindow
	buf     [maxFastCommitBytes + 64]byte // "commit SIZE NUL" and the content
	parents []ID
}

func newCommitReader(r *Repository) *commitReader {
	c := &commitReader{repo: r}
	c.addPacks()
	return c
}

// addPacks adds the packs that became known meanwhile.
func (c *commitReader) addPacks() {
	if f, ok := c.repo.objects.(*folders); ok {
		c.packs = append(c.packs, f.known()[len(c.packs):]...)
	}
}

// read returns the parents of a commit, valid until the next call, and its committer's date in seconds; errMissing
// where it is not there, another error where it is no commit or is damaged.
func (c *commitReader) read(ctx context.Context, id ID) (parents []ID, date int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	content := c.readPacked(id)
	if content == nil {
		if content, err = c.readAnywhere(ctx, id); err != nil {
			return nil, 0, err
		}
	}
	c.parents, date, err = parseParents(c.parents[:0], content)
	if err != nil {
		return nil, 0, malformed(id, plumbing.CommitObject, err)
	}
	return c.parents, date, nil
}

// readAnywhere returns the checked content of a commit, or errMissing.
func (c *commitReader) readAnywhere(ctx context.Context, id ID) ([]byte, error) {
	o, err := c.repo.objects.find(id)
	c.addPacks()
	if errors.Is(err, errMissing) {
		return nil, errMissing
	}
	if err != nil {
		return nil, c.repo.readFault(id, err)
	}
	if o, err = c.repo.admit(ctx, o, id, plumbing.CommitObject, maxCommitBytes); err != nil {
		return nil, err
	}
	return c.repo.readAll(ctx, o, id)
}

// readPacked returns the checked content of a commit that is stored whole in a pack, nil for any other.
func (c *commitReader) readPacked(id ID) []byte {
	for i, p := range c.packs {
		offset, err := p.offsetOf(id)
		if err != nil {
			continue
		}
		content := c.readEntry(p, offset, id)
		if content != nil && i > 0 {
			copy(c.packs[1:i+1], c.packs[:i])
			c.packs[0] = p
		}
		return content
	}
	return nil
}

func (c *commitReader) readEntry(p *pack, offset int64, id ID) []byte {
	p.fileOnce.Do(p.openFile)
	const headerBytes = 12
	if p.fileErr != nil || offset < headerBytes {
		return nil
	}
	// A header of an entry that is read here has at most 3 bytes.
	entry := c.window.at(p, offset, 3)
	kind, length, used := wholeHeader(entry)
	if kind != plumbing.CommitObject || length > maxFastCommitBytes {
		return nil
	}
	const ample = 128 // of what zlib adds to what it can't compress
	entry = c.window.at(p, offset, used+length+length/64+ample)
	head := append(c.buf[:0], "commit "...)
	head = append(strconv.AppendInt(head, int64(length), 10), 0)
	object := c.buf[:len(head)+length]
	if used > len(entry) {
		return nil
	}
	if _, ok := c.inflate.inflate(object[len(head):], entry[used:]); !ok || sha1.Sum(object) != id {
		return nil
	}
	return object[len(head):]
}

// wholeHeader reads the header of an entry of up to 3 bytes: its kind, the length of its content and its own.
func wholeHeader(entry []byte) (kind plumbing.ObjectType, length, used int) {
	for shift := 0; used < len(entry) && used < 3; used++ {
		c := entry[used]
		if used == 0 {
			kind, length, shift = plumbing.ObjectType(c>>4&7), int(c&15), 4
		} else {
			length |= int(c&0x7f) << shift
			shift += 7
		}
		if c&0x80 == 0 {
			return kind, length, used + 1
		}
	}
	return plumbing.InvalidObject, 0, 0
}

// parseParents appends the parents that a commit names to list and returns its committer's date, in seconds; 0
// for a date that can't be read.
func parseParents(list []ID, content []byte) (parents []ID, date int64, err error) {
	const hexBytes = 2 * len(ID{})
	treeLine := len("tree ") + hexBytes
	if len(content) <= treeLine || string(content[:5]) != "tree " || content[treeLine] != '\n' || !lowerHex(content[5:treeLine]) {
		return nil, 0, errors.New("it has no tree")
	}
	rest := content[treeLine+1:]
	for {
		line, ok := bytes.CutPrefix(rest, []byte("parent "))
		if !ok {
			break
		}
		var id ID
		if len(line) <= hexBytes || line[hexBytes] != '\n' || !lowerHex(line[:hexBytes]) {
			return nil, 0, errors.New("a parent of it is no id")
		}
		if _, err := hex.Decode(id[:], line[:hexBytes]); err != nil {
			return nil, 0, err
		}
		list = append(list, id)
		rest = line[hexBytes+1:]
	}
	return list, committerDate(rest), nil
}

// committerDate reads the date of "committer NAME <MAIL> SECONDS ZONE", the line after the author's.
func committerDate(rest []byte) int64 {
	for len(rest) > 0 && rest[0] != '\n' {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		rest = after
		if !bytes.HasPrefix(line, []byte("committer ")) {
			continue
		}
		text := line[bytes.LastIndexByte(line, '>')+1:]
		text = bytes.TrimLeft(text, " ")
		var date int64
		for _, c := range text {
			if c < '0' || c > '9' || date > 1<<58 {
				break
			}
			date = 10*date + int64(c-'0')
		}
		return date
	}
	return 0
}
