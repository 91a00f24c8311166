package voice

import (
	"fmt"
	"strconv"
	"time"
)

// Left says how much of a deadline is left, for a column: "1m52s", "41s", "over".
func Left(d time.Duration) string {
	d = d.Truncate(time.Second)
	switch {
	case d <= 0:
		return "over"
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	default:
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
}

// For says how long something took or lasts: "24 ms", "4.1 s", "4 min", "3 h", "2 days".
func For(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
}

// Ago says how long a moment (ms since 1970 UTC) lies back: "now", "4 min ago", "never" for 0.
func (v *Voice) Ago(ms int64) string {
	if ms == 0 {
		return "never"
	}
	d := v.Now().Sub(time.UnixMilli(ms))
	if d < 10*time.Second {
		return "now"
	}
	return For(d) + " ago"
}

// At says a moment (ms since 1970 UTC) in the person's zone: the time today, else with the date.
func (v *Voice) At(ms int64) string {
	t, now := time.UnixMilli(ms).Local(), v.Now().Local()
	if t.Year() == now.Year() && t.YearDay() == now.YearDay() {
		return t.Format("15:04:05")
	}
	return t.Format("2006-01-02 15:04")
}

// Size says a number of bytes: "812 B", "19 MB".
func Size(n uint64) string {
	const unit = 1000
	switch {
	case n < unit:
		return strconv.FormatUint(n, 10) + " B"
	case n < unit*unit:
		return strconv.FormatUint(n/unit, 10) + " kB"
	case n < unit*unit*unit:
		return strconv.FormatUint(n/(unit*unit), 10) + " MB"
	default:
		return fmt.Sprintf("%.1f GB", float64(n)/(unit*unit*unit))
	}
}

// Count says a number with its noun: "1 device", "3 devices".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
