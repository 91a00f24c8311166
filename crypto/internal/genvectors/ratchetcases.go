package main

import "fmt"

// agentCase starts a case of the agent at the day of the pairing.
func agentCase(name, op, expect string, nowDays int, message []byte) openCase {
	c := opener(name, expect, message)
	c.Op, c.Now = op, uint64(int64(now)+int64(nowDays)*dayMS)
	return c
}

func agentRatchets() *group {
	g := &group{About: "The agent. op open: takes a device's message (direction 2) of a day from stored up to the later of its clock's day + 1 and sealed_day. op seal: the day that it seals with, the later of its clock's and the newest opened; day is refused over 400 days after stored."}
	hello := plaintext(17, []byte("{}"), 512)
	message := func(days int) []byte {
		return sealed(2, uint32(startDay+days), deviceID, hello, fmt.Sprint("hello", days))
	}
	for _, c := range []struct {
		name                              string
		days, nowDays, sealedDays, stored int // sealedDays: counted from 1, 0 is never
		expect                            string
	}{
		{name: "today", expect: "ok"},
		{name: "tomorrow, a device that followed a clock just over midnight", days: 1, expect: "ok"},
		{name: "clock a month back, today", nowDays: -30, expect: "day"},
		{name: "clock a month back, but the agent sealed with today", nowDays: -30, sealedDays: 1, expect: "ok"},
		{name: "clock was a month ahead and the device followed", days: 30, sealedDays: 31, expect: "ok"},
		{name: "the day after tomorrow", days: 2, expect: "day"},
		{name: "a month ahead, and the agent never sealed with it", days: 30, expect: "day"},
		{name: "a month ahead, and the agent sealed with the day before", days: 30, sealedDays: 30, expect: "day"},
		{name: "400 days ahead, whatever the clock", days: 400, nowDays: 2000, expect: "day"},
		{name: "replayed after the agent moved on by two days", stored: 1, nowDays: 2, expect: "day"},
		{name: "replayed after the agent moved on by a month", stored: 29, nowDays: 30, expect: "day"},
	} {
		m := message(c.days)
		o := agentCase(c.name, "open", c.expect, c.nowDays, m)
		if c.stored > 0 {
			o = o.at(uint32(startDay + c.stored))
		}
		if c.sealedDays > 0 {
			o.SealedDay = uint32(startDay + c.sealedDays - 1)
		}
		if c.expect == "ok" {
			o = o.opens(17, []byte("{}"), m)
		}
		g.add(o)
	}
	agentOpenFaults(g, message(0), hello)
	agentSeals(g)
	return g
}

func agentOpenFaults(g *group, good, hello []byte) {
	bad := func(name, expect string, m []byte) { g.add(agentCase(name, "open", expect, 0, m)) }
	bad("its own direction, reflected", "open", sealed(1, startDay, deviceID, plaintext(1, nil, 512), "own"))
	bad("a type of the agent's", "format", sealed(2, startDay, deviceID, plaintext(1, nil, 512), "type"))
	bad("type 16", "format", sealed(2, startDay, deviceID, plaintext(16, nil, 512), "16"))
	bad("type 24", "format", sealed(2, startDay, deviceID, plaintext(24, nil, 512), "24"))
	bad("type 0", "format", sealed(2, startDay, deviceID, plaintext(0, nil, 512), "0"))
	bad("padding not zero", "format", sealed(2, startDay, deviceID, set(hello, 511, 1), "pad"))
	bad("a byte changed", "open", flip(good, 200, 1))
	bad("version 2", "format", set(good, 0, 2))
	bad("another device's id", "open", sealed(2, startDay, [16]byte(fixed("another device", 16)), hello, "id"))
	bad("too short", "size", good[:500])
	bad("yesterday's with today's header", "open", cat(good[:5], sealed(2, startDay-1, deviceID, hello, "y")[5:]))
	for _, day := range [][]byte{{255, 255, 255, 255}, {0, 0, 0, 0}, {0, 1, 0, 0}} {
		bad(fmt.Sprintf("header of day %x", day), "day", cat([]byte{1}, day, good[5:]))
	}
}

func agentSeals(g *group) {
	seal := func(name, expect string, nowDays, day int) {
		c := agentCase(name, "seal", expect, nowDays, nil)
		if expect == "ok" {
			c.Day = uint32(startDay + day)
		}
		g.add(c)
	}
	seal("seal today", "ok", 0, 0)
	seal("seal with the clock a year back", "ok", -365, 0)
	seal("seal 400 days after stored", "ok", 399, 399)
	seal("seal 401 days after stored", "day", 400, 0)
	seal("seal with a clock of the year 2100", "day", 27000, 0)
}
