package jsonschema

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"example.org/compose/internal/strictjson"
)

// keyword adds one keyword to s. Unknown ones are annotations, as the draft has it.
func (c *compiler) keyword(s *schema, name string, v strictjson.Value, at string) {
	switch name {
	case "$schema":
		if text := c.text(v, at); strings.TrimSuffix(text, "#") != Dialect {
			c.fail(at, "is %q; compose knows %q alone", short(text), Dialect)
		}
	case "$id":
		if s.pointer != "" {
			c.fail(at, "a nested $id is not supported; refer to parts of the schema by #/$defs/NAME")
		}
		c.id = strings.TrimSuffix(c.text(v, at), "#")
	case "$anchor":
		text := c.text(v, at)
		if c.anchors[text] != nil {
			c.fail(at, "the anchor %q is there twice", short(text))
		}
		c.anchors[text] = s
	case "$ref":
		c.refs = append(c.refs, reference{s, at, c.text(v, at)})
	case "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary":
		c.fail(at, "%s is not supported", name)
	case "$defs", "definitions":
		c.named(v, at)

	case "type":
		s.types = c.types(v, at)
	case "const":
		s.constant = &v
		s.weight += weight(&v)
	case "enum":
		if v.Kind != strictjson.Array {
			c.fail(at, "is %s; want an array", article(v.Kind.String()))
		}
		s.enum = v.Items
		if s.enum == nil {
			s.enum = []strictjson.Value{} // allows nothing
		}
		s.weight += weight(&v)

	case "minimum":
		s.minimum = c.number(v, at)
	case "maximum":
		s.maximum = c.number(v, at)
	case "exclusiveMinimum":
		s.exclusiveMinimum = c.number(v, at)
	case "exclusiveMaximum":
		s.exclusiveMaximum = c.number(v, at)
	case "multipleOf":
		s.multipleOf = c.number(v, at)
		if m := s.multipleOf; m != nil && (m.negative || m.digits == "") {
			c.fail(at, "is %s; want a number above 0", short(v.Text))
		}

	case "minLength":
		c.least(&s.length, v, at)
	case "maxLength":
		c.most(&s.length, v, at)
	case "pattern":
		s.pattern = c.pattern(c.text(v, at), at)
	case "patternErrorMessage":
		s.patternMessage = v.Text

	case "minProperties":
		c.least(&s.size, v, at)
	case "maxProperties":
		c.most(&s.size, v, at)
	case "required":
		s.required = c.texts(v, at)
	case "properties":
		s.properties = map[string]*schema{}
		for _, n := range c.named(v, at) {
			s.properties[n.name] = n.schema
		}
	case "patternProperties":
		for _, n := range c.named(v, at) {
			s.patternProperties = append(s.patternProperties, patternSchema{c.pattern(n.name, pointerTo(at, n.name)), n.schema})
		}
	case "additionalProperties":
		s.additional = c.compile(v, at)
	case "propertyNames":
		s.names = c.compile(v, at)
	case "dependentRequired":
		c.object(v, at, func(name string, v strictjson.Value, at string) {
			s.dependentRequired = append(s.dependentRequired, dependency{name, c.texts(v, at)})
		})
	case "dependentSchemas":
		s.dependentSchemas = c.named(v, at)

	case "minItems":
		c.least(&s.count, v, at)
	case "maxItems":
		c.most(&s.count, v, at)
	case "uniqueItems":
		if v.Kind != strictjson.Bool {
			c.fail(at, "is %s; want true or false", article(v.Kind.String()))
		}
		s.unique = v.Truth
	case "prefixItems":
		s.prefix = c.list(v, at)
	case "items":
		s.items = c.compile(v, at)
	case "contains":
		s.contains = c.compile(v, at)
	case "minContains":
		c.least(&s.containment, v, at)
	case "maxContains":
		c.most(&s.containment, v, at)

	case "allOf":
		s.allOf = c.list(v, at)
	case "anyOf":
		s.anyOf = c.list(v, at)
	case "oneOf":
		s.oneOf = c.list(v, at)
	case "not":
		s.not = c.compile(v, at)
	case "if":
		s.when = c.compile(v, at)
	case "then":
		s.then = c.compile(v, at)
	case "else":
		s.other = c.compile(v, at)

	case "unevaluatedProperties":
		s.unevaluatedProperties, c.tracks = c.compile(v, at), true
	case "unevaluatedItems":
		s.unevaluatedItems, c.tracks = c.compile(v, at), true
	}
}

func (c *compiler) object(v strictjson.Value, at string, each func(name string, v strictjson.Value, at string)) {
	if v.Kind != strictjson.Object {
		c.fail(at, "is %s; want an object", article(v.Kind.String()))
		return
	}
	for _, m := range sortedMembers(&v) {
		each(m.Name, m.Value, pointerTo(at, m.Name))
	}
}

// named compiles an object of schemas, by name.
func (c *compiler) named(v strictjson.Value, at string) []namedSchema {
	var list []namedSchema
	c.object(v, at, func(name string, v strictjson.Value, at string) {
		list = append(list, namedSchema{name, c.compile(v, at)})
	})
	return list
}

func (c *compiler) list(v strictjson.Value, at string) []*schema {
	if v.Kind != strictjson.Array || len(v.Items) == 0 {
		c.fail(at, "want an array of at least one schema")
		return nil
	}
	list := make([]*schema, len(v.Items))
	for i := range v.Items {
		list[i] = c.compile(v.Items[i], pointerTo(at, strconv.Itoa(i)))
	}
	return list
}

func (c *compiler) text(v strictjson.Value, at string) string {
	if v.Kind != strictjson.String {
		c.fail(at, "is %s; want a string", article(v.Kind.String()))
	}
	return v.Text
}

func (c *compiler) texts(v strictjson.Value, at string) []string {
	if v.Kind != strictjson.Array {
		c.fail(at, "is %s; want an array of strings", article(v.Kind.String()))
	}
	list := make([]string, 0, len(v.Items))
	for i := range v.Items {
		text := c.text(v.Items[i], pointerTo(at, strconv.Itoa(i)))
		list = append(list, text)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func (c *compiler) number(v strictjson.Value, at string) *decimal {
	if v.Kind != strictjson.Number {
		c.fail(at, "is %s; want a number", article(v.Kind.String()))
		return nil
	}
	d := parseDecimal(v.Text)
	return &d
}

// natural returns a number that counts something; one that no int holds counts as the largest.
func (c *compiler) natural(v strictjson.Value, at string) int {
	if v.Kind != strictjson.Number || !strictjson.IsInteger(v.Text) || v.Text[0] == '-' {
		c.fail(at, "want an integer of 0 or more")
		return 0
	}
	n, err := strconv.Atoi(v.Text)
	if err != nil {
		return int(^uint(0) >> 1)
	}
	return n
}

func (c *compiler) least(b *bounds, v strictjson.Value, at string) {
	b.least, b.hasLeast = c.natural(v, at), true
}

func (c *compiler) most(b *bounds, v strictjson.Value, at string) {
	b.most, b.hasMost = c.natural(v, at), true
}

func (c *compiler) types(v strictjson.Value, at string) types {
	list := v.Items
	if v.Kind == strictjson.String {
		list = []strictjson.Value{v}
	}
	var set types
	for i := range list {
		one := typeNamed(c.text(list[i], at))
		if one == 0 {
			c.fail(at, "%q is no type; want null, boolean, object, array, number, integer or string", short(list[i].Text))
		}
		set |= one
	}
	if set == 0 {
		c.fail(at, "want a type or a list of types")
	}
	return set
}

func typeNamed(name string) types {
	if name == "integer" {
		return integer
	}
	for k := strictjson.Null; k <= strictjson.Object; k++ {
		if k.String() == name {
			return typeOf(k)
		}
	}
	return 0
}

func (c *compiler) pattern(text, at string) *pattern {
	c.patterns += len(text)
	if c.patterns > MaxPatterns {
		c.fail(at, "the regular expressions of the schema have more than %d bytes together", MaxPatterns)
		return nil
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		c.fail(at, "%q is no regular expression that Go knows (there is no look-ahead): %v", short(text), err)
		return nil
	}
	p := &pattern{expression: expression, program: 4 + 2*len(text)}
	if strings.Contains(text, "{") { // repetitions are unrolled
		if parsed, err := syntax.Parse(text, syntax.Perl); err == nil {
			if program, err := syntax.Compile(parsed.Simplify()); err == nil {
				p.program = len(program.Inst)
			}
		}
	}
	return p
}

// weight is the number of values in v.
func weight(v *strictjson.Value) int {
	n := 1 + len(v.Text)/16
	for i := range v.Items {
		n += weight(&v.Items[i])
	}
	for i := range v.Members {
		n += weight(&v.Members[i].Value)
	}
	return n
}
