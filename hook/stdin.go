package hook

import (
	"errors"
	"io"
	"time"
)

// Times for standard input, counted from the start of the process.
const (
	stdinWithin = 3 * time.Second        // a caller that is being asked for
	drainWithin = 200 * time.Millisecond // a caller that gets no opinion anyway
)

var errStdin = errors.New("standard input did not end in time")

// readStdin reads standard input to its end, at most until the given time. A
// longer input than MaxStdin is refused, but read to its end all the same: a
// caller that is still writing would take a closed pipe for a crash.
func readStdin(r io.Reader, until time.Time) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		got := result{err: errStdin}
		defer func() {
			_ = recover() // errStdin says enough
			done <- got
		}()
		got.data, got.err = readLimited(r)
	}()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case got := <-done:
		return got.data, got.err
	case <-timer.C:
		return nil, errStdin
	}
}

func readLimited(r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxStdin+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxStdin {
		_, _ = io.Copy(io.Discard, r)
		return nil, ErrSize
	}
	return data, nil
}
