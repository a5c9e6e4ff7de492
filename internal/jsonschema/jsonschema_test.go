package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/compose/internal/jsonschema"
	"example.org/compose/internal/strictjson"
)

// told returns the violations as "POINTER RULE: MESSAGE", one a line.
func told(list []jsonschema.Violation) string {
	var lines []string
	for _, v := range list {
		lines = append(lines, v.Pointer+" "+v.Rule+": "+v.Message)
	}
	return strings.Join(lines, "\n")
}

func TestValidate(t *testing.T) {
	tests := map[string]struct{ schema, doc, want string }{
		"integer token":                  {`{"type":"integer"}`, `-12`, ``},
		"integer with a point":           {`{"type":"integer"}`, `1.0`, ` type: is 1.0; want an integer, written without a point or an exponent`},
		"integer with an exponent":       {`{"type":"integer"}`, `1e0`, ` type: is 1e0; want an integer, written without a point or an exponent`},
		"number is any":                  {`{"type":"number"}`, `1.0`, ``},
		"integer or number":              {`{"type":["integer","number"]}`, `1.0`, ``},
		"integer or null":                {`{"type":["integer","null"]}`, `1.0`, ` type: is a number; want null or an integer`},
		"minus zero":                     {`{"type":"integer"}`, `-0`, ``},
		"integer constant":               {`{"const":1}`, `1.0`, ``},
		"other constant":                 {`{"const":1}`, `1.01`, ` const: is 1.01; want 1`},
		"integer constant by its token":  {`{"type":"integer","const":1}`, `1.0`, ` type: is 1.0; want an integer, written without a point or an exponent`},
		"integer constant, deep":         {`{"const":{"a":[1]}}`, `{"a":[1e0]}`, ``},
		"number constant":                {`{"const":1.0}`, `1`, ``},
		"integer enum":                   {`{"enum":[1,"a"]}`, `1.0`, ``},
		"unique, by value":               {`{"uniqueItems":true}`, `[1,1.0]`, ` uniqueItems: 1.0 is there twice, as items 0 and 1`},
		"one of an enum":                 {`{"enum":["a"]}`, `"b"`, ` enum: is "b"; want "a"`},
		"empty enum":                     {`{"enum":[]}`, `1`, ` enum: is 1; want nothing at all`},
		"order of members":               {`{"const":{"a":1,"b":2}}`, `{"b":2,"a":1}`, ``},
		"required, sorted":               {`{"required":["b","a"]}`, `{}`, " required: lacks the field \"a\"\n required: lacks the field \"b\""},
		"unknown field":                  {`{"properties":{"a":{},"b":{},"no":false},"additionalProperties":false}`, `{"c":1}`, `/c additionalProperties: is an unknown field; allowed are "a", "b"`},
		"no fields at all":               {`{"additionalProperties":false}`, `{"c":1}`, `/c additionalProperties: is an unknown field; no fields are allowed here`},
		"forbidden field":                {`{"properties":{"a":false}}`, `{"a":1}`, `/a false: is not allowed here`},
		"name":                           {`{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, `/ab maxLength: has 2 characters; want 1 or less`},
		"pointer is escaped":             {`{"additionalProperties":{"type":"null"}}`, `{"a/b~c":1}`, `/a~1b~0c type: is a number; want null`},
		"by pointer, then rule":          {`{"items":{"minLength":3,"pattern":"x"}}`, `["b","a"]`, "/0 minLength: has 1 character; want 3 or more\n/0 pattern: \"b\" does not match the regular expression x\n/1 minLength: has 1 character; want 3 or more\n/1 pattern: \"a\" does not match the regular expression x"},
		"said once":                      {`{"allOf":[{"type":"null"},{"type":"null"}]}`, `1`, ` type: is a number; want null`},
		"message of a pattern":           {`{"pattern":"^a$","patternErrorMessage":"must be a"}`, `"b"`, ` pattern: "b" must be a`},
		"empty text":                     {`{"minLength":1}`, `""`, ` minLength: is empty`},
		"characters, not bytes":          {`{"maxLength":2}`, `"éé"`, ``},
		"bounds":                         {`{"minimum":1,"exclusiveMaximum":10}`, `10`, ` exclusiveMaximum: is 10; want less than 10`},
		"unique":                         {`{"uniqueItems":true}`, `[{"a":1,"b":2},0,{"b":2.0,"a":1}]`, ` uniqueItems: an object is there twice, as items 0 and 2`},
		"null alternative":               {`{"anyOf":[{"type":"string","minLength":2},{"type":"null"}]}`, `"a"`, ` minLength: has 1 character; want 2 or more`},
		"no alternative":                 {`{"anyOf":[{"minLength":2},{"pattern":"b"}]}`, `"a"`, ` anyOf: is "a", which has none of the 2 allowed forms`},
		"two alternatives":               {`{"oneOf":[{},{"type":"string"}]}`, `"a"`, ` oneOf: has 2 of the allowed forms at once; want exactly one`},
		"not":                            {`{"not":{"const":0}}`, `0`, ` not: is 0, which is not allowed`},
		"not, by form":                   {`{"not":{"type":"number"}}`, `0`, ` not: has a form that is not allowed`},
		"then":                           {`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, ` required: lacks the field "b"`},
		"else":                           {`{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{}`, ` required: lacks the field "c"`},
		"dependent":                      {`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, ` dependentRequired: has the field "a" and lacks "b", which belongs with it`},
		"contains":                       {`{"contains":{"const":1},"minContains":2}`, `[1,2]`, ` contains: 1 item of the wanted form; want 2 or more`},
		"unevaluated":                    {`{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":2}`, `/b false: is not allowed here`},
		"reference by pointer":           {`{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"null"}}}`, `1`, ` type: is a number; want null`},
		"reference by anchor":            {`{"$ref":"#x","$defs":{"a":{"$anchor":"x","type":"null"}}}`, `1`, ` type: is a number; want null`},
		"reference by own id":            {`{"$id":"https://e.org/s","$ref":"https://e.org/s#/$defs/a","$defs":{"a":{"type":"null"}}}`, `1`, ` type: is a number; want null`},
		"reference, escaped":             {`{"$ref":"#/$defs/a%20b","$defs":{"a b":{"type":"null"}}}`, `1`, ` type: is a number; want null`},
		"reference to a place of no use": {`{"$ref":"#/x/0","x":[{"type":"null"}]}`, `1`, ` type: is a number; want null`},
		"recursion":                      {`{"items":{"$ref":"#"},"type":"array"}`, `[[[]],[1]]`, `/1/0 type: is a number; want an array`},
		"format is an annotation":        {`{"format":"date"}`, `"x"`, ``},
		"unknown keywords too":           {`{"x-any":{"type":1}}`, `1`, ``},
		"long values are cut":            {`{"maxLength":3}`, `"` + strings.Repeat("é", 99) + `"`, ` maxLength: has 99 characters; want 3 or less`},
		"a boolean as a schema":          {`false`, `1`, ` false: is not allowed here`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := jsonschema.Compile(parse(t, tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			doc := parse(t, tt.doc)
			if got := told(s.Validate(doc)); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
			if got := told(s.ValidateTrusted(doc)); got != tt.want {
				t.Errorf("ValidateTrusted: got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestCompileRefuses(t *testing.T) {
	tests := map[string]struct{ schema, pointer, reason string }{
		"no schema":              {`1`, "", "is a number; a schema is an object or a boolean"},
		"other draft":            {`{"$schema":"http://json-schema.org/draft-07/schema#"}`, "/$schema", `knows "https://json-schema.org/draft/2020-12/schema" alone`},
		"file":                   {`{"$ref":"file:///etc/passwd"}`, "/$ref", "leads outside the schema"},
		"network":                {`{"items":{"$ref":"https://example.org/x"}}`, "/items/$ref", "leads outside the schema"},
		"relative":               {`{"$ref":"other.json"}`, "/$ref", "leads outside the schema"},
		"nothing there":          {`{"$ref":"#/$defs/a"}`, "/$ref", "leads to nothing"},
		"no anchor":              {`{"$ref":"#a"}`, "/$ref", "leads to nothing"},
		"index past the end":     {`{"allOf":[{"$ref":"#/allOf/7"}]}`, "/allOf/0/$ref", "leads to nothing"},
		"reference to a string":  {`{"$ref":"#/title","title":"x"}`, "/title", "a schema is an object or a boolean"},
		"itself":                 {`{"$ref":"#"}`, "", "applies itself to the same value"},
		"round":                  {`{"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"not":{"$ref":"#/$defs/a"}}}}`, "", "applies itself to the same value"},
		"nested id":              {`{"items":{"$id":"https://e.org/x"}}`, "/items/$id", "nested $id"},
		"dynamic":                {`{"$dynamicRef":"#a"}`, "/$dynamicRef", "not supported"},
		"anchor twice":           {`{"$anchor":"a","items":{"$anchor":"a"}}`, "/items/$anchor", "twice"},
		"look-ahead":             {`{"pattern":"(?=a)"}`, "/pattern", "no look-ahead"},
		"pattern of a name":      {`{"patternProperties":{"(":true}}`, "/patternProperties/(", "no regular expression"},
		"long patterns":          {`{"pattern":"` + strings.Repeat("a", 8001) + `"}`, "/pattern", "8000 bytes"},
		"type":                   {`{"type":"text"}`, "/type", `"text" is no type`},
		"types":                  {`{"type":[]}`, "/type", "want a type"},
		"type as a number":       {`{"type":1}`, "/type", "want a type"},
		"negative length":        {`{"minLength":-1}`, "/minLength", "0 or more"},
		"length with a point":    {`{"maxLength":1.0}`, "/maxLength", "0 or more"},
		"minimum as text":        {`{"minimum":"1"}`, "/minimum", "want a number"},
		"multiple of zero":       {`{"multipleOf":0.0}`, "/multipleOf", "above 0"},
		"required as text":       {`{"required":"a"}`, "/required", "want an array of strings"},
		"required numbers":       {`{"required":[1]}`, "/required/0", "want a string"},
		"properties as array":    {`{"properties":[]}`, "/properties", "want an object"},
		"property as text":       {`{"properties":{"a/b":"x"}}`, "/properties/a~1b", "a schema is an object or a boolean"},
		"items as array":         {`{"items":[]}`, "/items", "a schema is an object or a boolean"},
		"no alternatives":        {`{"anyOf":[]}`, "/anyOf", "at least one"},
		"enum as text":           {`{"enum":"a"}`, "/enum", "want an array"},
		"uniqueItems as text":    {`{"uniqueItems":"yes"}`, "/uniqueItems", "want true or false"},
		"too many subschemas":    {`{"allOf":[` + strings.Repeat("true,", jsonschema.MaxSchemas) + `true]}`, "", "more than 2000 subschemas"},
		"dependents as an array": {`{"dependentRequired":[]}`, "/dependentRequired", "want an object"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := jsonschema.Compile(parse(t, tt.schema))
			e, ok := err.(*jsonschema.Error)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(e.Reason, tt.reason) || tt.pointer != "" && e.Pointer != tt.pointer {
				t.Errorf("got %q at %q; want %q at %q", e.Reason, e.Pointer, tt.reason, tt.pointer)
			}
		})
	}
}

// Numbers of any size are compared by their value, at the cost of their token: expanded, these would not end.
func TestNumbersAreNotExpanded(t *testing.T) {
	digits := strings.Repeat("9", 1_000_000)
	tests := []struct {
		schema, doc string
		valid       bool
	}{
		{`{"maximum":10}`, "1e999999999", false},
		{`{"minimum":10}`, "1e999999999", true},
		{`{"minimum":0}`, "-1e-999999999", false},
		{`{"maximum":1e999999998}`, "1e999999999", false},
		{`{"minimum":1e99999999999999999999999}`, "1e99999999999999999999999", true},
		{`{"type":"integer","minimum":1}`, digits, true},
		{`{"maximum":1e1000000}`, digits, true},
		{`{"maximum":1e999999}`, digits, false},
		{`{"multipleOf":3}`, digits, true},
		{`{"multipleOf":7}`, digits[:999_999], false},
		{`{"multipleOf":7}`, digits[:999_996], true}, // 10^6 is 1 modulo 7
		{`{"multipleOf":` + digits[:1000] + `}`, digits, true},
		{`{"multipleOf":` + digits[:999] + `}`, digits, false},
		{`{"multipleOf":` + digits[:1001] + `}`, digits[:1000], false}, // smaller
		{`{"multipleOf":` + digits[:1001] + `}`, digits[:1001], true},  // the same
		{`{"multipleOf":` + digits[:1001] + `}`, "0", true},
		{`{"multipleOf":10}`, "15", false},
		{`{"multipleOf":4}`, "1e999999999", true},
		{`{"multipleOf":3}`, "1e999999999", false},
		{`{"multipleOf":3e999999999}`, "9e999999999", true},
		{`{"multipleOf":1}`, "1e-999999999", false},
		{`{"multipleOf":0.01}`, "1.25", true},
		{`{"multipleOf":0.01}`, "1.255", false},
		{`{"multipleOf":1e-999999999}`, "1", true},
		{`{"multipleOf":3e-999999999}`, "1", false},
		{`{"multipleOf":7}`, "0e999999999", true},
		{`{"const":100}`, "1e2", true},
		{`{"const":1e999999999}`, "10e999999998", true},
		{`{"const":1e999999999}`, "10e999999999", false},
		{`{"minimum":1}`, "1e99999999999999999999", true},
		{`{"minimum":1}`, "1e-99999999999999999999", false},
		{`{"const":1e99999999999999999999}`, "-1e99999999999999999999", false},
		{`{"const":1e99999999999999999999}`, "1e-99999999999999999999", false},
		{`{"const":0}`, "0e99999999999999999999", true},
		{`{"const":1e2}`, "100", true},
		{`{"const":0.0}`, "-0", true},
		{`{"uniqueItems":true}`, "[1e999999999,10e999999998]", false},
		{`{"minimum":-5}`, "-4.999", true},
		{`{"minimum":-5}`, "-5.001", false},
		{`{"minimum":0.1}`, "0.09999", false},
		{`{"exclusiveMinimum":0}`, "0.00", false},
		{`{"exclusiveMinimum":0}`, "1e-400", true},
	}
	for _, tt := range tests {
		s, err := jsonschema.Compile(parse(t, tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Validate(parse(t, tt.doc)); (len(got) == 0) != tt.valid {
			t.Errorf("%s, %.40s: got %s; want valid %v", tt.schema, tt.doc, told(got), tt.valid)
		}
	}
}

// What can't be told at a sensible cost is never a plain verdict, nor turned into one by what is around it.
func TestNumbersPastTheBoundSaySo(t *testing.T) {
	nines, threes := strings.Repeat("9", 400_000), strings.Repeat("3", 200_000)
	const vast = `holds a number with an exponent of more than 18 digits, which can't be compared; write a smaller one`
	long := "is " + nines[:60] + "..., and whether that is a multiple of " + threes[:60] + "... can't be told: a multipleOf of the schema has at most 1000 digits"
	tests := []struct{ schema, doc, want string }{
		{`{"multipleOf":` + threes + `}`, nines, " bound: " + long},
		{`{"items":{"not":{"multipleOf":` + threes + `}}}`, "[" + nines + "]", "/0 bound: " + long},
		{`{"anyOf":[{"multipleOf":` + threes + `},true]}`, nines, " bound: " + long},
		{`{"multipleOf":1e99999999999999999999}`, "1", " bound: " + vast},
		{`{"const":1e99999999999999999999}`, "10e99999999999999999998", " bound: " + vast},
		{`{"not":{"enum":[1e99999999999999999999]}}`, "10e99999999999999999998", " bound: " + vast},
		{`{"uniqueItems":true}`, "[1e99999999999999999999,10e99999999999999999998]", " bound: " + vast},
		{`{"maximum":1e99999999999999999998}`, "1e99999999999999999999", " bound: " + vast},
		{`{"minimum":1e-99999999999999999998}`, "1e-99999999999999999999", " bound: " + vast},
	}
	for _, tt := range tests {
		s, err := jsonschema.Compile(parse(t, tt.schema))
		if err != nil {
			t.Fatal(err)
		}
		doc := parse(t, tt.doc)
		for _, got := range [][]jsonschema.Violation{s.Validate(doc), s.ValidateTrusted(doc)} {
			if told(got) != tt.want {
				t.Errorf("%.60s, %.40s: got %s; want %s", tt.schema, tt.doc, told(got), tt.want)
			}
		}
	}
}

// Whatever a schema and a document do together, a validation ends, and says so.
func TestHostileSchemas(t *testing.T) {
	lattice := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"$ref":"#/$defs/a0","$defs":{`)
		for i := range n {
			fmt.Fprintf(&b, `"a%d":{"anyOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%[2]d"}]},`, i, i+1)
		}
		fmt.Fprintf(&b, `"a%d":{"type":"null"}}}`, n)
		return b.String()
	}
	tests := map[string]struct{ schema, doc string }{
		"doubling at each step": {lattice(100), `1`},
		"doubling at each depth": {`{"anyOf":[{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}],"minItems":1}`,
			strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		"wide pattern on a long text": {`{"items":{"pattern":"^` + strings.Repeat("(a?)", 300) + strings.Repeat("a", 300) + `$"}}`,
			`[` + strings.Repeat(`"`+strings.Repeat("a", 30_000)+`",`, 20) + `""]`},
		"many patterns, many names": {`{"patternProperties":{` + strings.TrimSuffix(repeat(500, `"a%d{9}":true,`), ",") + `}}`,
			`{` + strings.TrimSuffix(repeat(50_000, `"name-%d":1,`), ",") + `}`},
		"large constants": {`{"items":{"enum":[` + strings.Repeat("[1],", 20_000) + `0]}}`, `[` + strings.Repeat("[2],", 20_000) + `0]`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := jsonschema.Compile(parse(t, tt.schema))
			if err != nil {
				t.Fatal(err)
			}
			got := s.Validate(parse(t, tt.doc))
			if len(got) != 1 || got[0].Rule != "bound" {
				t.Errorf("got %s", told(got))
			}
		})
	}
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestViolationsAreBounded(t *testing.T) {
	s, err := jsonschema.Compile(parse(t, `{"items":{"type":"null"}}`))
	if err != nil {
		t.Fatal(err)
	}
	doc := strictjson.Value{Kind: strictjson.Array, Items: make([]strictjson.Value, 5000)}
	for i := range doc.Items {
		doc.Items[i] = strictjson.Int(1)
	}
	if got := s.Validate(doc); len(got) != jsonschema.MaxViolations {
		t.Errorf("%d violations", len(got))
	}
}

// One schema serves many validations at once.
func TestValidateOverlaps(t *testing.T) {
	s, err := jsonschema.Compile(parse(t, `{"items":{"type":"integer"},"unevaluatedItems":false}`))
	if err != nil {
		t.Fatal(err)
	}
	doc, done := parse(t, `[1,2,"x"]`), make(chan string)
	for range 8 {
		go func() { done <- told(s.Validate(doc)) }()
	}
	for range 8 {
		if got := <-done; got != "/2 type: is a string; want an integer" {
			t.Error(got)
		}
	}
}

// A document that conforms costs no allocation for what stands in it: neither places nor messages are made.
func TestConformingAllocations(t *testing.T) {
	s, err := jsonschema.Compile(parse(t, `{"type":"array","items":{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"type":"integer"}},
		"required":["a"],"additionalProperties":false,"if":{"properties":{"a":{"const":"x"}}},"then":{"required":["b"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	count := func(n int) float64 {
		doc := parse(t, "["+strings.Repeat(`{"a":"y"},{"a":"x","b":1},`, n)+`{"a":"y"}]`)
		return testing.AllocsPerRun(10, func() {
			if found := s.ValidateTrusted(doc); found != nil {
				t.Fatal(found)
			}
		})
	}
	if few, many := count(10), count(1_000); many > few {
		t.Errorf("%v allocations for 21 items, %v for 2,001", few, many)
	}
}
