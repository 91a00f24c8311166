// Package agent is the daemon on a person's machine: it takes calls from hooks, asks the paired devices, and is the only part that decides.
//
// One function can return an Allow: Decide. Everything that it needs for one is a device's signature over the exact card that this agent
// made; silence, errors, restarts and local commands yield a Deny or no opinion, never an Allow.
//
// The way of a call: serve -> caller.Parse -> Decide -> ask (asked record, card, devices) -> onAnswer (checks, settle) -> outcome record on
// disk -> caller.Reply on the one connection that asked -> receipt to the device, settled to the others.
package agent

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"answerback/agent/internal/audit"
	"answerback/agent/internal/store"
	abcrypto "answerback/crypto"
	"answerback/relay/relayclient"
)

// Agent is one daemon on one state folder.
type Agent struct {
	opts     Options
	log      *slog.Logger
	uid      int
	key      ed25519.PrivateKey
	id       abcrypto.ID
	instance [16]byte // per start, so that a cloned state folder shows
	started  time.Time

	store    *store.Store
	ledger   *audit.Log
	link     *relayclient.Client
	listener *net.UnixListener
	pending  *pending
	twins    twins
	pairing  pairingSlot
	opening  sync.Mutex // one asked record and its card at a time, so that cards' heads grow with their time
	lastMade uint64     // guarded by opening

	ctx     context.Context // of everything
	cancel  context.CancelFunc
	talking context.Context // of connections: its end closes them
	hangUp  context.CancelFunc
	serving context.Context // of what no verdict hangs on: pairings, and connections that have not said what they want
	close   context.CancelFunc
	wg      sync.WaitGroup // hook and command connections
	aside   sync.WaitGroup // pushes, which end with ctx, and writes
	up      chan struct{}  // holds one token when the link to the relay has come up

	mu    sync.Mutex
	peers map[abcrypto.ID]*peer
	seq   uint64 // last sequence number given to a state or settled message
	calls uint64 // decided since the start
	pause uint64 // calls are asked at the terminal until then, ms; 0: no pause
}

// Open takes the state folder, reads its keys and devices, and listens on the socket. It dials nobody yet.
func Open(o Options) (*Agent, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	a := &Agent{opts: o, log: o.Log, uid: os.Getuid(), started: time.Now(), pending: newPending(), up: make(chan struct{}, 1), peers: map[abcrypto.ID]*peer{}}
	a.twins.first = map[ident]*firstSeen{}
	if _, err := rand.Read(a.instance[:]); err != nil {
		return nil, fmt.Errorf("agent: make instance id: %w", err)
	}
	if err := a.openState(); err != nil {
		return nil, err
	}
	a.link = relayclient.New(relayclient.Options{URL: o.RelayURL, Token: o.RelayToken, Log: o.Log})
	a.link.OnState(a.linkChanged)
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.talking, a.hangUp = context.WithCancel(a.ctx)
	a.serving, a.close = context.WithCancel(a.talking)
	if err := a.begin(); err != nil {
		a.cancel()
		a.store.Close()
		return nil, err
	}
	return a, nil
}

// openState takes the lock, then keys and log.
func (a *Agent) openState() error {
	s, err := store.Open(a.opts.State)
	if err != nil {
		return err
	}
	a.store = s
	if err := a.readState(); err != nil {
		s.Close()
		return err
	}
	return nil
}

func (a *Agent) readState() (err error) {
	a.key = a.store.AgentKey()
	a.id = abcrypto.AgentID(a.key.Public().(ed25519.PublicKey))
	if a.ledger, err = audit.Open(a.store); err != nil {
		return err
	}
	if err := a.readPause(); err != nil {
		return err
	}
	return a.reserveSeqs()
}

// begin starts what answers: the socket, the devices, and the record that says so.
func (a *Agent) begin() error {
	if err := a.startDevices(); err != nil {
		return err
	}
	if _, _, err := a.ledger.Append(a.base(audit.Started)); err != nil {
		return err
	}
	var err error
	a.listener, err = listen(a.opts.Socket)
	return err
}

// Run serves until ctx ends, then ends every connection and goroutine of its own and gives the state folder back. Hooks that wait get their
// caller's no opinion; their cards are withdrawn.
func (a *Agent) Run(ctx context.Context) error {
	defer a.store.Close()
	stop := context.AfterFunc(ctx, func() { a.end() })
	defer stop()
	var loops sync.WaitGroup
	loops.Go(func() { a.link.Run(a.ctx) })
	loops.Go(func() { a.watchLink() })
	err := a.serve()
	a.end()
	a.endConnections()
	a.stopPeers()
	a.cancel()
	loops.Wait() // from here on nothing can begin a push
	a.aside.Wait()
	return err
}

// end makes serve return, and every hook have its verdict.
func (a *Agent) end() {
	a.listener.Close()
	for _, e := range a.pending.close() {
		a.pending.settle(e, outcome{how: withdrawn, at: time.Now()})
	}
	a.close()
}

// lastWords is how long connections have, after everything that they could wait for has ended.
const lastWords = 3 * time.Second

// endConnections waits for the connections, and closes those that take nothing.
func (a *Agent) endConnections() {
	timer := time.AfterFunc(lastWords, a.hangUp)
	defer timer.Stop()
	a.wg.Wait()
}

// Stop ends the agent from within its own process.
func (a *Agent) Stop() { a.end() }

// ErrLocked says that another agent uses the state folder, with its pid.
type ErrLocked = store.ErrLocked

// linkChanged notes that the link to the relay has come up.
func (a *Agent) linkChanged(connected bool) {
	if !connected {
		return
	}
	select {
	case a.up <- struct{}{}:
	default:
	}
}

// watchLink brings the devices up to date whenever the link to the relay has come up: what was sent to them meanwhile reached nobody, and after
// a start all their cards are void.
func (a *Agent) watchLink() {
	for {
		select {
		case <-a.ctx.Done():
			return
		case <-a.up:
			for _, p := range a.activePeers() {
				a.resync(p)
			}
		}
	}
}

// seqBlock is how many sequence numbers a start takes at once, so that each message needs no write of its own.
const seqBlock = 1 << 28

// reserveSeqs takes a block of sequence numbers for state and settled messages: they grow over restarts.
func (a *Agent) reserveSeqs() error {
	return a.store.Update(func(b *store.Batch) error {
		last, err := b.Seq("out")
		a.seq = last
		b.SetSeq("out", last+seqBlock)
		return err
	})
}

func (a *Agent) nextSeq() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seq++
	return a.seq
}

// takeSeq accepts a device's sequence number once, and never a smaller one. It is on disk before what it carries is done.
func (a *Agent) takeSeq(id abcrypto.ID, seq uint64) error {
	return a.store.Update(func(b *store.Batch) error {
		name := "in/" + id.String()
		last, err := b.Seq(name)
		if err != nil {
			return err
		}
		if seq <= last {
			return errors.New("the message was taken before")
		}
		b.SetSeq(name, seq)
		return nil
	})
}
