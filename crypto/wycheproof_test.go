package crypto

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// wycheproof is what this package's tests read of a Wycheproof file.
type wycheproof struct {
	TestGroups []struct {
		KeySize, IvSize, TagSize int
		PublicKey                struct{ Pk string }
		Tests                    []struct {
			TcID                            int
			Comment, Result                 string
			Key, Iv, Aad, Msg, Ct, Tag, Sig string
		}
	}
}

func readWycheproof(t *testing.T, file string) (w wycheproof) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "wycheproof", file))
	if err == nil {
		err = json.Unmarshal(raw, &w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestVerifyOnWycheproof(t *testing.T) {
	ran := 0
	for _, g := range readWycheproof(t, "ed25519_test.json").TestGroups {
		for _, c := range g.Tests {
			err := Verify(unhex(t, g.PublicKey.Pk), unhex(t, c.Msg), unhex(t, c.Sig))
			if (err == nil) != (c.Result == "valid") {
				t.Errorf("%d, %s: %s, got %v", c.TcID, c.Comment, c.Result, err)
			}
			ran++
		}
	}
	if ran < 150 {
		t.Errorf("%d cases", ran)
	}
}

func TestOpenBoxOnWycheproof(t *testing.T) {
	ran := 0
	for _, g := range readWycheproof(t, "aes_gcm_test.json").TestGroups {
		if g.KeySize != 256 || g.IvSize != 96 || g.TagSize != 128 {
			continue // sizes that a box cannot have
		}
		for _, c := range g.Tests {
			box := slices.Concat(unhex(t, c.Iv), unhex(t, c.Ct), unhex(t, c.Tag))
			plain, err := OpenBox(unhex(t, c.Key), box, unhex(t, c.Aad))
			if (err == nil) != (c.Result == "valid") || err == nil && hex.EncodeToString(plain) != c.Msg {
				t.Errorf("%d, %s: %s, got %x, %v", c.TcID, c.Comment, c.Result, plain, err)
			}
			ran++
		}
	}
	if ran < 60 {
		t.Errorf("%d cases", ran)
	}
}

// HKDF-Extract is HMAC with the salt as key.
func TestExtractOnWycheproof(t *testing.T) {
	ran := 0
	for _, g := range readWycheproof(t, "hmac_sha256_test.json").TestGroups {
		for _, c := range g.Tests {
			mac := Extract(unhex(t, c.Key), unhex(t, c.Msg))
			same := hex.EncodeToString(mac[:g.TagSize/8]) == c.Tag
			if same != (c.Result == "valid") {
				t.Errorf("%d, %s: %s", c.TcID, c.Comment, c.Result)
			}
			ran++
		}
	}
	if ran < 150 {
		t.Errorf("%d cases", ran)
	}
}
