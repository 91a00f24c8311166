package rules

import (
	"path"
	"slices"
	"strings"
)

// zones are places that matter wherever they lie: a run of path components,
// lower case; a component may hold one *.
var zones = []struct {
	id    string
	read  string // the reason for reading there, if any
	paths []string
}{
	{"self", "self", strings.Fields(`.config/answerback .local/state/answerback answerback/agent.sock tmp/answerback-* run/user/*/answerback`)},
	{"changes-hooks", "", strings.Fields(`.claude/settings*.json .claude/hooks .claude/plugins .claude.json .mcp.json .codex/hooks.json .codex/config.toml
		.codex/hooks .copilot/hooks .copilot/settings.json .copilot/config.json .copilot/mcp-config.json .github/hooks .gemini/settings.json .gemini/extensions .qwen/settings.json .qwen/extensions
		opencode.json opencode.jsonc .opencode config/opencode .cursor/hooks.json .cursor/mcp.json .kimi-code/config.toml .clinerules/hooks
		cline/hooks .factory/hooks.json .factory/settings.json .amp/settings.json claude-code/managed-settings*.json claudecode/managed-settings*.json
		etc/codex etc/claude-code etc/gemini-cli .vscode/settings.json .vscode/tasks.json`)},
	{"changes-keys", "reads-secret", strings.Fields(`.ssh .gnupg .aws/credentials .aws/config .netrc _netrc .npmrc .pypirc .git-credentials .docker/config.json
		.kube/config .config/gh/hosts.yml .config/gcloud .azure id_rsa id_dsa id_ecdsa id_ed25519 id_rsa_* id_ed25519_* *.pem *.key *.p12 *.pfx *.jks *.keystore *.kdbx
		.env .env.* *.env .envrc.local secrets.yml secrets.yaml secrets.json secrets.toml credentials.json service-account*.json .vault-token .password-store keychains
		etc/shadow etc/gshadow etc/sudoers etc/sudoers.d .config/sops .terraform.d/credentials.tfrc.json .cargo/credentials .cargo/credentials.toml .gem/credentials
		.pgpass .my.cnf authorized_keys .config/rclone .s3cfg .boto .config/op .bitwarden login.keychain* cookies.sqlite proc/*/environ .claude/.credentials.json .codex/auth.json
		.bash_history .zsh_history .psql_history`)},
	{"changes-profile", "", strings.Fields(`.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
		.config/fish .inputrc .xprofile .xsessionrc .xinitrc etc/profile etc/profile.d etc/bash.bashrc etc/environment etc/zsh* .vimrc .config/nvim .vim .emacs .emacs.d
		.tmux.conf .gitconfig .config/git .envrc .config/environment.d .pam_environment powershell_profile.ps1 profile.ps1 .direnvrc`)},
	{"changes-ci", "", strings.Fields(`.github/workflows .github/actions .gitlab-ci.yml .gitlab-ci .circleci jenkinsfile azure-pipelines.yml .travis.yml
		bitbucket-pipelines.yml .drone.yml .buildkite .woodpecker .woodpecker.yml .forgejo/workflows .gitea/workflows cloudbuild.yaml buildspec.yml .appveyor.yml appveyor.yml .cirrus.yml`)},
	{"changes-git-hooks", "", strings.Fields(`.git/hooks .git/config .git/info .git/modules .husky .githooks .pre-commit-config.yaml lefthook.yml lefthook.yaml .gitattributes .gitmodules`)},
	{"changes-schedule", "", strings.Fields(`spool/cron etc/cron* etc/anacrontab etc/systemd lib/systemd .config/systemd library/launchagents library/launchdaemons
		.config/autostart etc/init.d etc/rc.local etc/xdg/autostart`)},
}

// harmless are names that look like a zone and hold nothing.
var harmless = []string{".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test", "*.pub", "known_hosts", "cacert.pem", "ca.pem", "ca-certificates.crt"}

// disks are device names that a write destroys.
var disks = strings.Fields(`sd* hd* vd* xvd* nvme* mmcblk* disk* rdisk* loop* dm-* md* mapper mem kmem port sr* mtd* ram* zd*`)

// zonePattern is one pattern of a zone, taken apart.
type zonePattern struct {
	zone int
	run  []string
}

// zonesByName holds the patterns by their first component; those that begin
// with a glob stand under "".
var zonesByName = func() map[string][]zonePattern {
	index := map[string][]zonePattern{}
	for i, z := range zones {
		for _, p := range z.paths {
			run := strings.Split(p, "/")
			first := run[0]
			if strings.ContainsAny(first, "*?") {
				first = ""
			}
			index[first] = append(index[first], zonePattern{i, run})
		}
	}
	return index
}()

// resolve makes a path absolute and clean; ok is false where that needs a
// folder that is not known.
func (s *scan) resolve(text string) (abs string, ok bool) {
	s.spend(20 + len(text)/4)
	switch {
	case path.IsAbs(text):
		return path.Clean(text), true
	case strings.HasPrefix(text, "~"):
		return path.Clean(text), true // another user's home, or a home that is not known
	case s.cwd != "":
		return path.Join(s.cwd, text), true
	}
	return path.Clean(text), false
}

// zoned calls found with each zone that p lies in.
func (s *scan) zoned(p string, found func(change, read string)) {
	hit, known := s.places[p]
	if !known {
		s.spend(40 + len(p)/4)
		hit = s.hits(strings.Split(strings.ToLower(p), "/"))
		s.places[p] = hit
	}
	for i, z := range zones {
		if hit&(1<<i) != 0 {
			found(z.id, z.read)
		}
	}
}

// hits are the zones that a path lies in, a bit each.
func (s *scan) hits(parts []string) (hit uint) {
	last := len(parts) - 1
	if !strings.ContainsAny(parts[last], "*?[") && matches(harmless, parts[last]) {
		return 0
	}
	for i, part := range parts {
		if strings.ContainsAny(part, "*?[") {
			hit |= s.globbed(parts[i:])
			continue
		}
		hit |= marks(zonesByName[part], parts[i:])
		if i == last || strings.Contains(part, "-") {
			hit |= marks(zonesByName[""], parts[i:])
		}
	}
	return hit
}

// globbed tries every pattern: the path's own component is a glob.
func (s *scan) globbed(parts []string) (hit uint) {
	s.spend(2000)
	for _, list := range zonesByName {
		hit |= marks(list, parts)
	}
	return hit
}

func marks(list []zonePattern, parts []string) (hit uint) {
	for _, p := range list {
		if len(parts) >= len(p.run) && sameRun(p.run, parts) {
			hit |= 1 << p.zone
		}
	}
	return hit
}

func sameRun(pattern, parts []string) bool {
	for j, want := range pattern {
		if !sameName(want, parts[j]) {
			return false
		}
	}
	return true
}

// matches says that one of the patterns matches the component.
func matches(patterns []string, part string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return sameName(p, part) })
}

// sameName says that a component matches a pattern, which holds at most one *.
// The component may be a glob itself: "answer*" can mean "answerback".
func sameName(want, part string) bool {
	if before, after, ok := strings.Cut(want, "*"); ok {
		if len(part) >= len(before)+len(after) && strings.HasPrefix(part, before) && strings.HasSuffix(part, after) {
			return true
		}
	} else if want == part {
		return true
	}
	if len(part) < 3 || !strings.ContainsAny(part, "*?[") { // a bare * matches everything and says nothing
		return false
	}
	ok, _ := path.Match(part, want)
	return ok
}

// own says that p is Answerback's, or, with above, holds what is Answerback's.
func (in *Input) own(p string, above bool) bool {
	for _, o := range in.Own {
		if o = path.Clean(o); o != "." && (under(o, p) || above && under(p, o)) {
			return true
		}
	}
	return false
}

// under says that p is folder or lies in it. A component of p may be a glob.
func under(folder, p string) bool {
	if folder == "/" || p == folder || strings.HasPrefix(p, folder+"/") {
		return true
	}
	if !strings.ContainsAny(p, "*?[") {
		return false
	}
	a, b := strings.Split(strings.Trim(folder, "/"), "/"), strings.Split(strings.Trim(p, "/"), "/")
	if len(b) < len(a) {
		return false
	}
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if ok, err := path.Match(b[i], a[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// inFolder says that a resolved path lies in the session's folder, for sure.
func (in *Input) inFolder(p string) bool {
	return in.Folder != "" && path.IsAbs(p) && (p == path.Clean(in.Folder) ||
		strings.HasPrefix(p, strings.TrimSuffix(path.Clean(in.Folder), "/")+"/"))
}
