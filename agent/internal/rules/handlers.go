package rules

// handlers are the programs whose words are understood here; the rest of the
// known ones stand in programs.txt. It is filled at start because handlers run
// other handlers.
var handlers map[string]func(*call)

func init() {
	handlers = map[string]func(*call){}
	for _, group := range []struct {
		names  string
		handle func(*call)
	}{
		// wrappers
		{"env", (*call).env}, {"sudo sudoedit doas pkexec run0 gosu", (*call).sudo}, {"su runuser", (*call).su},
		{"xargs parallel", (*call).xargs}, {"watch", (*call).watch}, {"busybox toybox", (*call).applet},
		{"command", (*call).commandBuiltin}, {"flock", (*call).flock}, {"script", (*call).scriptProgram},
		{"at batch", (*call).at}, {"crontab", (*call).crontab}, {"xcrun bwrap firejail systemd-run tmux screen setpriv unshare nsenter", (*call).carrier},
		{"nix-shell nix", (*call).nix},
		// shells and their builtins
		{"sh bash zsh dash ksh mksh ash rbash fish csh tcsh yash", (*call).shell}, {"eval", (*call).eval}, {"source .", (*call).source},
		{"trap", (*call).trap}, {"alias", (*call).alias}, {"cd pushd chdir", (*call).cd}, {"set", (*call).setBuiltin},
		{"read mapfile readarray", (*call).readBuiltin}, {"export declare typeset local readonly", (*call).declare},
		// streams
		{"echo", (*call).echo}, {"printf", (*call).printf}, {"cat", (*call).cat}, {"tee", (*call).tee}, {"pwd", (*call).pwd},
		{"which type", (*call).which}, {"printenv", (*call).printenv},
		{"base64 base32 xxd uudecode openssl gunzip zcat bzcat xzcat zstdcat gzip bzip2 xz zstd rev tr", (*call).decoder},
		{"sed gsed", (*call).sed}, {"awk gawk mawk nawk", (*call).awk},
		// files
		{"rm grm", (*call).rm}, {"unlink rmdir trash trash-put", (*call).unlink}, {"find gfind", (*call).find}, {"fd fdfind", (*call).fd},
		{"shred srm wipe", (*call).shred}, {"dd gdd dcfldd", (*call).dd},
		{"wipefs blkdiscard fdisk sfdisk cfdisk parted gdisk sgdisk mke2fs mkswap badblocks pvremove vgremove lvremove cryptsetup hdparm nvme mdadm format", (*call).disk},
		{"cp gcp scp rsync ditto install ginstall ln gln link", (*call).copy}, {"mv gmv rename", (*call).move},
		{"touch mkdir truncate mkfifo mknod gtouch gmkdir chattr", (*call).writer},
		{"chmod chown chgrp setfacl chflags gchmod gchown", (*call).permissions},
		{"tar gtar bsdtar", (*call).tar}, {"unzip 7z 7za unrar zip", (*call).archive}, {"vim vi nvim ex ed emacs nano", (*call).editor},
		{"patch", (*call).patch}, {"gdb lldb", (*call).debugger}, {"rimraf del-cli del", (*call).rimraf}, {"shx", (*call).applet},
		// programs of other languages
		{"python pypy", (*call).python}, {"perl ruby php node nodejs lua osascript rscript julia groovy tclsh deno bun tsx ts-node swift scala elixir pwsh powershell expect", (*call).interpreter},
		// the network
		{"curl wget http https xh aria2c fetch lynx", (*call).download}, {"ssh mosh autossh", (*call).ssh}, {"sftp ftp lftp tftp telnet", (*call).reach},
		{"nc ncat netcat socat", (*call).netcat},
		// the rest
		{"git", (*call).git}, {"psql mysql mariadb sqlite3 sqlite duckdb mongo mongosh redis-cli valkey-cli cqlsh clickhouse clickhouse-client sqlcmd usql pgcli mycli snowsql bq influx cockroach trino presto sqlplus", (*call).database},
		{"make gmake just task rake npm pnpm yarn bun invoke gradle gradlew mvn mvnw", (*call).taskRunner},
		{"go", (*call).goTool}, {"docker podman nerdctl kubectl oc", (*call).container},
	} {
		for name := range words(group.names) {
			if _, taken := handlers[name]; !taken {
				handlers[name] = group.handle
			}
		}
	}
}
