package agent

import abcrypto "answerback/crypto"

// maxNonces is how many messages of one device are remembered.
const maxNonces = 512

// nonces remembers the last messages of one device. Whoever has kept a hello could else have the agent send its state and every open card, again
// and again. The zero value has seen none; after a restart each old message can come once more, and does nothing that matters.
type nonces struct {
	seen  map[[abcrypto.NonceSize]byte]bool
	order [][abcrypto.NonceSize]byte // oldest first
}

// again reports whether a message with this nonce was here before.
func (n *nonces) again(nonce [abcrypto.NonceSize]byte) bool {
	if n.seen[nonce] {
		return true
	}
	if n.seen == nil {
		n.seen = map[[abcrypto.NonceSize]byte]bool{}
	}
	n.seen[nonce] = true
	n.order = append(n.order, nonce)
	if len(n.order) > maxNonces {
		delete(n.seen, n.order[0])
		n.order = n.order[1:]
	}
	return false
}
