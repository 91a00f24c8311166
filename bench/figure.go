package main

import (
	"fmt"
	"slices"
	"time"
)

// figure is one line of the result.
type figure struct {
	name     string
	value    float64
	unit     string
	goal     float64
	baseline string // what value is a ratio to, measured in the same run
	detail   string
}

func (f figure) ok() bool { return f.value <= f.goal }

func (f figure) String() string {
	verdict := "ok"
	if !f.ok() {
		verdict = "short"
	}
	return fmt.Sprintf("%-40s %7.2f%s goal %g%s %-5s (%s%s)", f.name, f.value, f.unit, f.goal, f.unit, verdict, f.baseline, f.detail)
}

// pairs runs a and b in turns, n times, after a few rounds that do not count, and returns the times of each in order of the rounds.
func pairs(n int, a, b func() error) (as, bs []time.Duration, err error) { return paced(0, n, a, b) }

// paced is pairs with a rest before each round, which is not timed.
func paced(rest time.Duration, n int, a, b func() error) (as, bs []time.Duration, err error) {
	for i := range n + n/10 + 2 {
		time.Sleep(rest)
		ta, err := timed(a)
		if err != nil {
			return nil, nil, err
		}
		tb, err := timed(b)
		if err != nil {
			return nil, nil, err
		}
		if i >= n/10+2 {
			as, bs = append(as, ta), append(bs, tb)
		}
	}
	return as, bs, nil
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

func median(ds []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(ds))
	return sorted[len(sorted)/2]
}

// ratio is the median of as over the median of bs. Both were measured in turns, so the machine's other work hit both.
func ratio(as, bs []time.Duration) float64 { return float64(median(as)) / float64(median(bs)) }

// detail shows the medians behind a ratio.
func detail(as, bs []time.Duration) string {
	return fmt.Sprintf(", %v over %v, %d rounds", median(as).Round(time.Microsecond), median(bs).Round(time.Microsecond), len(as))
}
