package jsonschema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"example.org/compose/internal/strictjson"
)

// Dialect is the $schema of the draft that this package knows.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

// Compile compiles a schema document. The error says what is wrong with it, at the first place that
// was met. It reads doc alone.
func Compile(doc strictjson.Value) (*Schema, error) {
	c := &compiler{doc: doc, made: map[string]*schema{}, anchors: map[string]*schema{}}
	root := c.compile(doc, "")
	c.resolve()
	c.findLoop()
	if c.err != nil {
		return nil, c.err
	}
	return &Schema{root: root, tracks: c.tracks}, nil
}

// compiler keeps the first fault; after it, its methods return zero values.
type compiler struct {
	doc     strictjson.Value
	id      string             // the root's $id
	made    map[string]*schema // by pointer
	order   []*schema          // in order of making
	anchors map[string]*schema
	refs    []reference
	tracks  bool
	err     *Error

	patterns int // bytes of all regular expressions
}

type reference struct {
	from    *schema
	pointer string // of the $ref
	target  string
}

func (c *compiler) fail(pointer, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{Pointer: pointer, Reason: fmt.Sprintf(format, args...)}
	}
}

// compile returns the schema of v, which stands at pointer. It is made once.
func (c *compiler) compile(v strictjson.Value, pointer string) *schema {
	if s := c.made[pointer]; s != nil {
		return s
	}
	s := &schema{pointer: pointer}
	c.made[pointer] = s
	c.order = append(c.order, s)
	if len(c.order) > MaxSchemas {
		c.fail(pointer, "the schema holds more than %d subschemas; make it smaller", MaxSchemas)
	}
	if c.err != nil {
		return s
	}
	switch v.Kind {
	case strictjson.Bool:
		s.always, s.never = v.Truth, !v.Truth
	case strictjson.Object:
		for i := range v.Members {
			c.keyword(s, v.Members[i].Name, v.Members[i].Value, pointerTo(pointer, v.Members[i].Name))
		}
	default:
		c.fail(pointer, "is %s; a schema is an object or a boolean", article(v.Kind.String()))
	}
	return s
}

// resolve finds what each $ref leads to. A place that no keyword made a schema of becomes one.
func (c *compiler) resolve() {
	for i := 0; i < len(c.refs) && c.err == nil; i++ { // refs grows on the way
		ref := c.refs[i]
		base, fragment, _ := strings.Cut(ref.target, "#")
		if base != "" && base != c.id {
			c.fail(ref.pointer, "%q leads outside the schema; only references within it (#/$defs/NAME) are followed", short(ref.target))
			return
		}
		fragment, err := url.PathUnescape(fragment)
		if err != nil {
			c.fail(ref.pointer, "%q is no reference", short(ref.target))
			return
		}
		if fragment != "" && fragment[0] != '/' {
			ref.from.ref = c.anchors[fragment]
		} else if v, pointer, found := c.find(fragment); found {
			ref.from.ref = c.compile(v, pointer)
		}
		if ref.from.ref == nil {
			c.fail(ref.pointer, "%q leads to nothing in the schema", short(ref.target))
		}
	}
}

// find returns the value that a JSON pointer leads to and the pointer in its one canonical spelling.
func (c *compiler) find(pointer string) (v strictjson.Value, canonical string, found bool) {
	v = c.doc
	if pointer == "" {
		return v, "", true
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch v.Kind {
		case strictjson.Object:
			if v, found = v.Get(token); !found {
				return v, "", false
			}
		case strictjson.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) || strconv.Itoa(i) != token {
				return v, "", false
			}
			v = v.Items[i]
		default:
			return v, "", false
		}
		canonical = pointerTo(canonical, token)
	}
	return v, canonical, true
}

// findLoop refuses a schema that applies itself to the same value again, which would never end.
func (c *compiler) findLoop() {
	const entered, left = 1, 2
	state := make(map[*schema]int, len(c.order))
	var enter func(s *schema)
	enter = func(s *schema) {
		state[s] = entered
		s.inPlace(func(next *schema) {
			switch state[next] {
			case entered:
				c.fail(next.pointer, "the schema applies itself to the same value, without end")
			case 0:
				enter(next)
			}
		})
		state[s] = left
	}
	for _, s := range c.order {
		if c.err == nil && state[s] == 0 {
			enter(s)
		}
	}
}
