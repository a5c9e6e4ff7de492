package jsonschema

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// decimal is the value of a number's token, 0.digits × 10^point, never expanded: 1e999999999 takes as
// little room as its token. Two tokens of the same value give equal decimals, but for vast ones.
type decimal struct {
	token    string
	negative bool
	digits   string // no leading and no trailing zero; "" for zero
	point    int64
	vast     bool // the exponent is past maxExponent: point has its sign, and no more is known
}

// maxExponent bounds the exponents that are computed with. It is beyond any use, and far enough below the last int64
// that the length of a token can be added.
const maxExponent = 1e18

// parseDecimal takes a valid JSON token apart.
func parseDecimal(token string) decimal {
	d := decimal{token: token}
	text, negative := strings.CutPrefix(token, "-")
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	d.point = int64(len(digits) - len(fraction))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		d.point = 0
		return d
	}
	d.negative = negative
	if exponent == "" {
		return d
	}
	e, err := strconv.ParseInt(exponent, 10, 64)
	if err == nil && -maxExponent <= e && e <= maxExponent {
		d.point += e
		return d
	}
	d.vast, d.point = true, 1
	if exponent[0] == '-' {
		d.point = -1
	}
	return d
}

// compare returns the order of two numbers. It can't be told (false) of two whose exponents are vast in the same direction.
func (d decimal) compare(e decimal) (order int, told bool) {
	switch {
	case d.token == e.token:
		return 0, true
	case d.negative && !e.negative:
		return -1, true
	case !d.negative && e.negative:
		return 1, true
	}
	order, told = d.compareSize(e)
	if d.negative {
		order = -order
	}
	return order, told
}

func (d decimal) compareSize(e decimal) (order int, told bool) {
	switch {
	case d.digits == "" || e.digits == "":
		return len(d.digits) - len(e.digits), true
	case d.vast && e.vast && d.point == e.point:
		return 0, false
	case d.vast:
		return int(d.point), true
	case e.vast:
		return int(-e.point), true
	}
	return cmpOr(cmp.Compare(d.point, e.point), strings.Compare(d.digits, e.digits)), true
}

// maxDivisor is how many digits a number may have whose multiples are looked for. The division is done step by step, so
// what is divided may be as long as a document.
const maxDivisor = 1000

// multipleOf reports whether d is an integer times e, which is above 0. It can't be told (false) for an e of more than
// maxDivisor digits that d is as large as, and where exponents are vast.
func (d decimal) multipleOf(e decimal) (multiple, told bool) {
	if d.digits == "" {
		return true, true
	}
	if d.vast || e.vast {
		return false, false
	}
	// With D and E for the digits as integers, d is D × 10^last and e is E × 10^lastE.
	zeros := (d.point - int64(len(d.digits))) - (e.point - int64(len(e.digits)))
	order, _ := d.compareSize(e)
	switch {
	case zeros < 0, order < 0:
		return false, true // D does not end in a zero, so it is no multiple of E × 10
	case order == 0:
		return true, true
	case len(e.digits) > maxDivisor:
		return false, false
	}
	// D × 10^zeros modulo E.
	divisor, _ := new(big.Int).SetString(e.digits, 10)
	rest := new(big.Int).Exp(big.NewInt(10), big.NewInt(zeros), divisor)
	return rest.Mul(rest, remainder(d.digits, divisor)).Rem(rest, divisor).Sign() == 0, true
}

// remainder returns a number of any length modulo a short one, in time linear in the length.
func remainder(digits string, divisor *big.Int) *big.Int {
	rest, part := new(big.Int), new(big.Int)
	shift := new(big.Int).SetUint64(1e19) // 10^remainderStep
	first := len(digits) % remainderStep
	for from, to := 0, first; to <= len(digits); from, to = to, to+remainderStep {
		value, _ := strconv.ParseUint(digits[from:to], 10, 64) // "" gives 0
		rest.Mul(rest, shift).Add(rest, part.SetUint64(value))
		rest.Rem(rest, divisor)
	}
	return rest
}

// remainderStep is how many digits fit into a uint64.
const remainderStep = 19

// multipleSteps is what it costs to look whether the one is a multiple of the other.
func multipleSteps(d, e decimal) int {
	return 100 + len(d.digits)/remainderStep*(10+min(len(e.digits), maxDivisor)/remainderStep)
}

// key is the same text for, and only for, the same value of those that are not vast.
func (d decimal) key() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + "e" + strconv.FormatInt(d.point, 10)
}
