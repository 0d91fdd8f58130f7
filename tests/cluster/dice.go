package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// dice is the only source of chance, and of time: a fixed past moment stands for now.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice {
	return dice{rand.New(rand.NewPCG(seed, 0))}
}

func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func (d dice) between(low, high int) int { return low + d.IntN(high-low+1) }

func pick[T any](d dice, values ...T) T { return values[d.IntN(len(values))] }

func (d dice) text(alphabet string, length int) string {
	text := make([]byte, length)
	for i := range text {
		text[i] = alphabet[d.IntN(len(alphabet))]
	}
	return string(text)
}

// suffix uses the letters and digits Kubernetes takes for generated names: no vowels, no words.
func (d dice) suffix(length int) string { return d.text("bcdfghjklmnpqrstvwxz2456789", length) }

func (d dice) hex(length int) string { return d.text("0123456789abcdef", length) }

func (d dice) uid() types.UID {
	return types.UID(fmt.Sprintf("%s-%s-4%s-%s%s-%s",
		d.hex(8), d.hex(4), d.hex(3), d.text("89ab", 1), d.hex(3), d.hex(12)))
}

func (d dice) resourceVersion() string { return strconv.Itoa(d.between(100_000_000, 999_999_999)) }

// past is a moment of the last ten days, in whole seconds as Kubernetes writes them.
func (d dice) past() metav1.Time {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return metav1.NewTime(now.Add(-time.Duration(d.between(60, 10*24*3600)) * time.Second))
}

func after(moment metav1.Time, seconds int) metav1.Time {
	return metav1.NewTime(moment.Add(time.Duration(seconds) * time.Second))
}
