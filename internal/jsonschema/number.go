package jsonschema

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// decimal is the value of a number's token, 0.digits × 10^point, never expanded: 1e999999999 takes as
// little room as its token. Two tokens of the same value give equal decimals.
type decimal struct {
	token    string
	negative bool
	digits   string // no leading and no trailing zero; "" for zero
	point    int64
}

// maxPoint bounds exponents that are beyond any use; larger ones count as this.
const maxPoint = math.MaxInt64 / 4

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
	if exponent != "" {
		e, err := strconv.ParseInt(exponent, 10, 64)
		if err != nil && strings.HasPrefix(exponent, "-") {
			e = -maxPoint
		} else if err != nil {
			e = maxPoint
		}
		d.point += min(max(e, -maxPoint), maxPoint)
	}
	return d
}

func (d decimal) compare(e decimal) int {
	if d.negative != e.negative {
		if d.negative {
			return -1
		}
		return 1
	}
	order := d.compareSize(e)
	if d.negative {
		return -order
	}
	return order
}

func (d decimal) compareSize(e decimal) int {
	switch {
	case d.digits == "" || e.digits == "":
		return len(d.digits) - len(e.digits)
	case d.point < e.point:
		return -1
	case d.point > e.point:
		return 1
	}
	return strings.Compare(d.digits, e.digits)
}

// multipleOf reports whether d is an integer times e. It is false, too, where the two are too far apart
// or too long to tell at a sensible cost.
func (d decimal) multipleOf(e decimal) bool {
	if d.digits == "" {
		return true
	}
	// The last digits of the two stand at these powers of ten.
	last, lastE := d.point-int64(len(d.digits)), e.point-int64(len(e.digits))
	const most = 1000
	if len(d.digits) > most || len(e.digits) > most || last-lastE > most || lastE-last > most {
		return false
	}
	scaled := func(digits string, zeros int64) *big.Int {
		n, _ := new(big.Int).SetString(digits+strings.Repeat("0", int(zeros)), 10)
		return n
	}
	low := min(last, lastE)
	return new(big.Int).Rem(scaled(d.digits, last-low), scaled(e.digits, lastE-low)).Sign() == 0
}

// key is the same text for, and only for, the same value.
func (d decimal) key() string {
	sign := ""
	if d.negative {
		sign = "-"
	}
	return sign + d.digits + "e" + strconv.FormatInt(d.point, 10)
}
