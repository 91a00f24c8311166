package e2e

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/network"
)

// seen is every address that any page or worker of this run asked for.
var seen = requests{asked: map[string]int{}}

type requests struct {
	mu    sync.Mutex
	asked map[string]int // by origin; WebSockets as http
	ours  []string       // the origins of this run's relays
	paths []string       // whole addresses
}

// listen takes in one event of a browser's network. It runs on the browser's own reader, so it only notes.
func (r *requests) listen(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		r.note(e.Request.URL)
	case *network.EventWebSocketCreated:
		r.note(e.URL)
	}
}

func (r *requests) note(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "data" || u.Scheme == "blob" {
		return // made in the page itself
	}
	scheme := map[string]string{"ws": "http", "wss": "https"}[u.Scheme]
	if scheme == "" {
		scheme = u.Scheme
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[scheme+"://"+u.Host]++
	r.paths = append(r.paths, address)
}

// allow names an origin of this run.
func (r *requests) allow(origin string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ours = append(r.ours, origin)
}

// foreign are the origins that were asked and are no relay of this run.
func (r *requests) foreign() (others []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for origin := range r.asked {
		if !slices.Contains(r.ours, origin) {
			others = append(others, origin)
		}
	}
	return others
}

// forgive forgets what a test did to an origin on purpose.
func (r *requests) forgive(origin string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.asked, origin)
}

// addresses are all that an origin was asked for.
func (r *requests) addresses(origin string) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, address := range r.paths {
		if strings.HasPrefix(strings.Replace(address, "ws", "http", 1), origin) || strings.HasPrefix(address, origin) {
			list = append(list, address)
		}
	}
	return list
}

// count is how often an origin was asked.
func (r *requests) count(origin string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked[origin]
}
