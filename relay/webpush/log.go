package webpush

import (
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// quietLog says a thing at most once a minute, whoever brings it about.
type quietLog struct {
	log *slog.Logger

	mu   sync.Mutex
	said map[string]time.Time
}

const maxSaid = 256

func newQuietLog(log *slog.Logger) *quietLog {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &quietLog{log: log, said: map[string]time.Time{}}
}

// say logs one line. The service is a name of the list, or a host that is not
// on it: of those only what is a host name at all.
func (q *quietLog) say(service string, status int, text string) {
	if host, _, _ := strings.Cut(service, ":"); !isName(host) {
		service = "unnamed"
	}
	if q.fresh(service+" "+strconv.Itoa(status), time.Now()) {
		q.log.Warn(text, "service", service, "status", status)
	}
}

func (q *quietLog) fresh(what string, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if at, ok := q.said[what]; ok && now.Sub(at) < time.Minute {
		return false
	}
	if len(q.said) >= maxSaid {
		for k, at := range q.said {
			if now.Sub(at) >= time.Minute {
				delete(q.said, k)
			}
		}
	}
	if len(q.said) >= maxSaid {
		return false
	}
	q.said[what] = now
	return true
}
