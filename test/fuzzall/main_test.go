package main

import "testing"

func TestOnlyOutOfTime(t *testing.T) {
	end := "fuzz: elapsed: 2s, execs: 23271 (11300/sec), new interesting: 2 (total: 17)\n--- FAIL: FuzzX (2.07s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\tanswerback/pairing\t2.073s\n"
	for said, want := range map[string]bool{
		end: true,
		"":  false,
		"--- FAIL: FuzzX (2.07s)\n    x_test.go:9: wrong\nFAIL\n":                                           false,
		end + "    Failing input written to testdata/fuzz/FuzzX/582528ddfad69eb5\n":                         false,
		end + "panic: runtime error\n":                                                                      false,
		end + "    --- FAIL: FuzzX/seed#0 (0.00s)\n        x_test.go:9: wrong\n":                            false,
		"--- FAIL: FuzzX (0.01s)\n    --- FAIL: FuzzX (0.00s)\n        x.go:1: context deadline exceeded\n": false,
	} {
		if got := onlyOutOfTime(said); got != want {
			t.Errorf("%q: %v, want %v", said, got, want)
		}
	}
}
