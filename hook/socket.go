package hook

import "errors"

// errSocket is in the chain of every refusal of a socket before it is used.
var errSocket = errors.New("the socket is not safe to use")

// Socket is the agent's default socket of a user, from the uid alone:
// /run/user/UID/answerback/agent.sock if /run/user/UID is a folder of that
// user, else /tmp/answerback-UID/agent.sock. It reads no environment, so that
// hook and agent cannot disagree because one was started with another one.
func Socket(uid int) string {
	id := decimal(uint64(max(uid, 0)))
	if ownFolder("/run/user/"+id, uid) {
		return "/run/user/" + id + "/answerback/agent.sock"
	}
	return "/tmp/answerback-" + id + "/agent.sock"
}

// folderOf is the part of an absolute path before its last slash.
func folderOf(path string) string {
	for i := len(path) - 1; i > 0; i-- {
		if path[i] == '/' {
			return path[:i]
		}
	}
	return "/"
}
