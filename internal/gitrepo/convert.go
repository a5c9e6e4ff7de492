package gitrepo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"example.org/compose/internal/gitconfig"
)

// eolAction says what becomes of CRLF on the way into git.
type eolAction uint8

const (
	eolKeep eolAction = iota
	eolText           // every CRLF becomes LF
	eolAuto           // the same, in what looks like text and has no CRLF in the index
)

// conversion is what git does to a file's bytes before it hashes them.
type conversion struct {
	eol      eolAction
	ident    bool
	encoding string // working-tree-encoding; "" for none
	lfs      bool   // the filter is Git LFS, whose result is known
	filter   string // another filter that git would run; "" for none
}

// identity reports whether bytes go in as they are.
func (c conversion) identity() bool { return c == conversion{} }

// conversionOf decides as git's convert_attrs does.
func conversionOf(attrs map[string]attribute, cfg *gitconfig.Config) conversion {
	var c conversion
	eol, known := textAction(attrs["text"])
	if !known {
		eol, known = textAction(attrs["crlf"])
	}
	if !known || eol != eolKeep {
		switch value := attrs["eol"]; {
		case value.state != attrValue || value.value != "lf" && value.value != "crlf":
		case known && eol == eolAuto:
		default:
			eol, known = eolText, true
		}
	}
	if !known {
		autocrlf, _ := cfg.Last("core.autocrlf")
		if strings.EqualFold(autocrlf, "input") || cfg.Bool("core.autocrlf", false) {
			eol = eolAuto
		}
	}
	c.eol = eol
	c.ident = attrs["ident"].state == attrTrue
	if a := attrs["working-tree-encoding"]; a.state == attrValue && !isUTF8(a.value) {
		c.encoding = a.value
	}
	if a := attrs["filter"]; a.state == attrValue {
		c.setFilter(a.value, cfg)
	}
	return c
}

// textAction reads the attribute text, or its old name crlf; known is false where it leaves the choice open.
func textAction(a attribute) (action eolAction, known bool) {
	switch {
	case a.state == attrTrue, a.state == attrValue && a.value == "input":
		return eolText, true
	case a.state == attrFalse:
		return eolKeep, true
	case a.state == attrValue && a.value == "auto":
		return eolAuto, true
	}
	return eolKeep, false
}

func isUTF8(name string) bool {
	return strings.EqualFold(name, "UTF-8") || strings.EqualFold(name, "UTF8")
}

// setFilter notes the filter of that name, if git would run one.
func (c *conversion) setFilter(name string, cfg *gitconfig.Config) {
	process, _ := cfg.Last("filter." + name + ".process")
	clean, _ := cfg.Last("filter." + name + ".clean")
	switch command := strings.TrimSpace(process + " " + clean); {
	case strings.Contains(command, "git-lfs ") || strings.Contains(command, "git lfs "):
		c.lfs = true
	case command != "" || cfg.Bool("filter."+name+".required", false):
		c.filter = name
	}
}

// apply converts the bytes of a file. indexHasCRLF is asked only where it matters: whether the blob in the index
// is text with CRLF. An error means that the result can't be told.
func (c conversion) apply(content []byte, indexHasCRLF func() (bool, error)) ([]byte, error) {
	if c.filter != "" {
		return nil, fmt.Errorf("the filter %q, a program, would have to run", c.filter)
	}
	if c.lfs {
		content = lfsPointer(content)
	}
	var err error
	if c.encoding != "" {
		if content, err = toUTF8(content, c.encoding); err != nil {
			return nil, err
		}
	}
	if content, err = c.convertEOL(content, indexHasCRLF); err != nil {
		return nil, err
	}
	if c.ident {
		content = dropIdent(content)
	}
	return content, nil
}

func (c conversion) convertEOL(content []byte, indexHasCRLF func() (bool, error)) ([]byte, error) {
	if c.eol == eolKeep || len(content) == 0 {
		return content, nil
	}
	look := lookAt(content)
	if look.crlf == 0 {
		return content, nil
	}
	if c.eol == eolAuto {
		if look.binary() {
			return content, nil
		}
		if has, err := indexHasCRLF(); err != nil || has {
			return content, err
		}
	}
	return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")), nil
}

// textLook counts what git judges text and binary by (convert.c, gather_stats).
type textLook struct {
	nul, loneCR, loneLF, crlf, printable, nonprintable int
}

func lookAt(content []byte) (l textLook) {
	for i := 0; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\r' && i+1 < len(content) && content[i+1] == '\n':
			l.crlf++
			i++
		case c == '\r':
			l.loneCR++
		case c == '\n':
			l.loneLF++
		case c == 0:
			l.nul++
			l.nonprintable++
		case c == '\b' || c == '\t' || c == 0x1b || c == '\f':
			l.printable++
		case c < 32 || c == 127:
			l.nonprintable++
		default:
			l.printable++
		}
	}
	// An end-of-file mark of DOS at the very end is none of the nonprintable.
	if n := len(content); n > 0 && content[n-1] == 0x1a {
		l.nonprintable--
	}
	return l
}

func (l textLook) binary() bool {
	return l.loneCR > 0 || l.nul > 0 || l.printable>>7 < l.nonprintable
}

// hasTextCRLF reports whether a blob is text with CRLF (convert.c, has_crlf_in_index).
func hasTextCRLF(blob []byte) bool {
	if bytes.IndexByte(blob, '\r') < 0 {
		return false
	}
	look := lookAt(blob)
	return look.crlf > 0 && !look.binary()
}

// dropIdent makes every "$Id: anything$" on one line "$Id$".
func dropIdent(content []byte) []byte {
	if !bytes.Contains(content, []byte("$Id:")) {
		return content
	}
	out := make([]byte, 0, len(content))
	for {
		dollar := bytes.IndexByte(content, '$')
		if dollar < 0 {
			break
		}
		out = append(out, content[:dollar+1]...)
		content = content[dollar+1:]
		if len(content) <= 3 || string(content[:3]) != "Id:" {
			continue
		}
		end := bytes.IndexByte(content[3:], '$')
		if end < 0 {
			break
		}
		if bytes.IndexByte(content[3:3+end], '\n') >= 0 {
			continue
		}
		out = append(out, "Id$"...)
		content = content[3+end+1:]
	}
	return append(out, content...)
}

// lfsPointer is what Git LFS stores for content: itself where it is empty or a pointer already.
func lfsPointer(content []byte) []byte {
	const version = "version https://git-lfs.github.com/spec/v1\n"
	if len(content) == 0 || len(content) < 1024 && bytes.HasPrefix(content, []byte(version)) {
		return content
	}
	return fmt.Appendf(nil, "%soid sha256:%x\nsize %d\n", version, sha256.Sum256(content), len(content))
}

// toUTF8 converts from the encodings of Unicode, which the standard library knows; iconv's others can't be told.
func toUTF8(content []byte, encoding string) ([]byte, error) {
	name := strings.ToUpper(encoding)
	if !strings.HasPrefix(name, "UTF") {
		return nil, fmt.Errorf("the encoding %q is not supported", encoding)
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "UTF"), "-")
	name, wantBOM := strings.CutSuffix(name, "-BOM")
	width := 2
	var order binary.ByteOrder = binary.BigEndian
	switch name {
	case "16", "16BE":
	case "16LE":
		order = binary.LittleEndian
	case "32", "32BE":
		width = 4
	case "32LE":
		order, width = binary.LittleEndian, 4
	default:
		return nil, fmt.Errorf("the encoding %q is not supported", encoding)
	}
	if len(content)%width != 0 {
		return nil, fmt.Errorf("it is not in the encoding %q", encoding)
	}
	unit := func(i int) rune {
		if width == 2 {
			return rune(order.Uint16(content[i:]))
		}
		return rune(order.Uint32(content[i:]))
	}
	if len(content) > 0 && (wantBOM || name == "16" || name == "32") {
		switch {
		case unit(0) == 0xfeff:
			content = content[width:]
		case unit(0) == 0xfffe || uint32(unit(0)) == 0xfffe0000:
			order = binary.LittleEndian
			content = content[width:]
		default:
			return nil, fmt.Errorf("it has no byte order mark, which the encoding %q needs", encoding)
		}
	}
	var out []byte
	for i := 0; i < len(content); i += width {
		r := unit(i)
		if width == 2 && utf16.IsSurrogate(r) {
			low := rune(0)
			if i += width; i < len(content) {
				low = unit(i)
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return nil, fmt.Errorf("it is not in the encoding %q", encoding)
			}
		} else if !utf8.ValidRune(r) {
			return nil, fmt.Errorf("it is not in the encoding %q", encoding)
		}
		out = utf8.AppendRune(out, r)
	}
	return out, nil
}
