package jsonschema

import (
	"regexp"

	"example.org/compose/internal/strictjson"
)

// schema is one compiled subschema. A field is at its zero value where the keyword is absent.
type schema struct {
	pointer string // its place in the schema document
	never   bool   // false as a schema
	always  bool   // true as a schema

	types    types
	constant *strictjson.Value
	enum     []strictjson.Value
	weight   int // the size of constant and enum, in values

	minimum, maximum                   *decimal
	exclusiveMinimum, exclusiveMaximum *decimal
	multipleOf                         *decimal

	length         bounds // of a string, in characters
	pattern        *pattern
	patternMessage string // patternErrorMessage, which editors show, too; may be ""

	size              bounds // of an object
	required          []string
	properties        map[string]*schema
	patternProperties []patternSchema
	additional        *schema
	names             *schema
	dependentRequired []dependency
	dependentSchemas  []namedSchema

	count       bounds // of an array
	unique      bool
	prefix      []*schema
	items       *schema
	contains    *schema
	containment bounds // how many items contains must hold for

	ref                 *schema
	allOf, anyOf, oneOf []*schema
	not                 *schema
	when, then, other   *schema // if, then and else

	unevaluatedProperties, unevaluatedItems *schema
}

type pattern struct {
	expression *regexp.Regexp
	program    int // about how many instructions it has
}

type patternSchema struct {
	pattern *pattern
	schema  *schema
}

type namedSchema struct {
	name   string
	schema *schema
}

type dependency struct {
	name  string
	needs []string
}

// bounds are a least and a most number of something. The zero value allows all.
type bounds struct {
	least, most       int
	hasLeast, hasMost bool
}

// types is a set of the kinds of a value, and integer beside them.
type types uint8

const integer types = 1 << 7

func typeOf(k strictjson.Kind) types { return 1 << k }

// inPlace calls visit for each subschema that is applied to the same value as s.
func (s *schema) inPlace(visit func(*schema)) {
	for _, one := range [...]*schema{s.ref, s.not, s.when, s.then, s.other} {
		if one != nil {
			visit(one)
		}
	}
	for _, list := range [...][]*schema{s.allOf, s.anyOf, s.oneOf} {
		for _, one := range list {
			visit(one)
		}
	}
	for _, d := range s.dependentSchemas {
		visit(d.schema)
	}
}
