package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"time"

	"answerback/agent/control"
	"answerback/hook"
	"answerback/hook/caller"
)

// beatEvery tells a waiting hook that the agent is alive; none for five seconds, and the hook ends with no opinion.
const beatEvery = time.Second

// serve takes connections until the listener is closed.
func (a *Agent) serve() error {
	for {
		c, err := a.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return nil
		}
		if err != nil {
			a.log.Error("a connection was not accepted", "why", err)
			time.Sleep(100 * time.Millisecond) // out of file descriptors, mostly: give some back
			continue
		}
		a.wg.Go(func() {
			defer c.Close()
			defer a.guard()
			a.converse(c)
		})
	}
}

// guard keeps a fault of ours on one connection from ending the agent. Its hook sees the connection end, which is no opinion.
func (a *Agent) guard() {
	if fault := recover(); fault != nil {
		a.logFault(fault)
	}
}

// errFault hands a call back for a fault of ours.
var errFault = errors.New("a fault of this program; please report what the log says of it")

// logFault says where a fault was. Its own words are left out: they can hold those of a call.
func (a *Agent) logFault(fault any) {
	a.log.Error("a fault of this program ended a call; please report it", "kind", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
}

// converse reads the one frame of a connection and answers it. Only this user's processes are listened to.
func (a *Agent) converse(c *net.UnixConn) {
	stop := context.AfterFunc(a.talking, func() { c.Close() })
	defer stop()
	uid, pid, err := control.Peer(c)
	if err != nil || uid != a.uid {
		a.log.Warn("a connection of another user was refused", "uid", uid, "why", err)
		return
	}
	frame, err := a.request(c)
	switch {
	case errors.As(err, new(hook.VersionError)):
		hook.WriteUnsupported(c)
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF): // connected to see whether somebody listens
	case err != nil:
		a.log.Warn("a frame was refused", "why", err)
	case frame.Control != nil:
		a.control(c, frame.Control)
	default:
		a.answerHook(c, *frame.Call, pid)
	}
}

// request reads what a connection wants. It has five seconds to say it, and none when the agent ends.
func (a *Agent) request(c *net.UnixConn) (hook.Request, error) {
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	stop := context.AfterFunc(a.serving, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	frame, err := hook.ReadRequest(c)
	c.SetReadDeadline(time.Time{})
	return frame, err
}

// answerHook is the way of one call: parse, decide, reply on the connection that asked.
func (a *Agent) answerHook(c *net.UnixConn, frame hook.Call, pid int) {
	c.SetWriteDeadline(time.Now().Add(5 * time.Second))
	ad, err := adapterOf(frame)
	if err != nil {
		a.log.Warn("a caller was refused", "caller", frame.Caller, "why", err)
		a.fallback(c, frame)
		return
	}
	call, err := ad.Parse(frame.Event, frame.Stdin)
	if err != nil {
		a.logMalformed(frame, err)
		a.reply(c, ad.Reply(frame.Event, caller.Call{}, caller.Verdict{}))
		return
	}
	if frame.Flags&hook.FlagProbe != 0 {
		a.reply(c, ad.Reply(frame.Event, call, caller.Verdict{Kind: caller.Deny, Words: probeWords}))
		return
	}
	if ev, ok := ad.Event(call.Event); !ok || !ev.Waits {
		a.logUnasked(call)
		a.reply(c, ad.Reply(frame.Event, call, caller.Verdict{}))
		return
	}
	a.decideOn(c, ad, frame, call, asker(pid))
}

// probeWords is what doctor looks for: the agent itself denied its probe.
const probeWords = "answerback doctor: this probe reached the agent, which denied it. Nothing was asked of a person."

// decideOn lets Decide decide while beats go out, and gives the verdict to this connection alone.
func (a *Agent) decideOn(c *net.UnixConn, ad caller.Adapter, frame hook.Call, call caller.Call, parent int) {
	ctx, cancel := context.WithCancel(a.talking)
	defer cancel()
	w := newHookWriter(c, cancel)
	defer w.stop()
	wait := waitOf(ad, call, frame)
	mine, first := a.twins.claim(frame.Stdin, parent)
	defer mine.end(caller.Verdict{}) // after a fault of ours: its twins wait for no one
	if first != nil {
		w.held(requestID{}, wait+frame.Elapsed)
		a.log.Info("the same call came twice: a hook is configured twice; see answerback doctor", "caller", call.Caller)
		select {
		case <-first.done:
		case <-ctx.Done():
		}
		w.verdict(ad.Reply(frame.Event, call, first.twinVerdict()))
		return
	}
	d := a.Decide(ctx, call, wait, graceOf(ad, call), func(e *entry) { w.held(e.id, time.Until(e.deadline)+frame.Elapsed) })
	mine.end(d.verdict)
	err := w.verdict(ad.Reply(frame.Event, call, d.verdict))
	if err != nil {
		a.log.Warn("the hook was gone before the verdict", "caller", call.Caller, "why", err)
	}
	d.delivered(err == nil)
}

// twinVerdict is what a twin gets, if the first has ended.
func (f *firstSeen) twinVerdict() caller.Verdict {
	select {
	case <-f.done:
		return forTwin(f.verdict)
	default:
		return caller.Verdict{}
	}
}

func adapterOf(frame hook.Call) (caller.Adapter, error) {
	reply := ""
	if frame.Flags&hook.FlagReply != 0 {
		reply = "answerback"
	}
	return caller.For(frame.Caller, reply)
}

// fallback answers as the hook would have without an agent.
func (a *Agent) fallback(c *net.UnixConn, frame hook.Call) {
	exit, stdout, stderr := hook.Fallback(frame.Caller, frame.Event, frame.Flags&hook.FlagClosed != 0)
	a.reply(c, caller.Reply{Exit: exit, Stdout: stdout, Stderr: stderr})
}

func (a *Agent) reply(c *net.UnixConn, r caller.Reply) {
	if err := hook.WriteVerdict(c, hook.Verdict{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr}); err != nil {
		a.log.Warn("a reply was not taken", "why", err)
	}
}
