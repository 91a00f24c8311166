package card

import "fmt"

// MaxMessage is the largest body in bytes of every message but a card, a page and a state.
const MaxMessage = 16 << 10

// finish writes one message and holds it to its size.
func finish(what string, max int, walk func(*fields)) ([]byte, error) {
	out, err := marshal(walk)
	if err == nil && len(out) > max {
		err = fmt.Errorf("%w: %d bytes, at most %d are sent", ErrSize, len(out), max)
	}
	if err != nil {
		return nil, fmt.Errorf("card: write %s: %w", what, err)
	}
	return out, nil
}

// parsed reads one message, or gives its zero value.
func parsed[T any, P interface {
	*T
	fields(*fields)
}](what string, b []byte, max int) (T, error) {
	var m, none T
	if err := parse(b, max, P(&m).fields); err != nil {
		return none, fmt.Errorf("card: read %s: %w", what, err)
	}
	return m, nil
}
