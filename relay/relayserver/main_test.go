package relayserver_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if kind := os.Getenv(benchServer); kind != "" {
		serveChild(kind)
		return
	}
	goleak.VerifyTestMain(m)
}
