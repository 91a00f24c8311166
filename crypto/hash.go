package crypto

import "crypto/sha256"

// Hash returns SHA-256(Label(word) || parts). The parts are joined as they are:
// a format in which more than one part has no fixed length must carry its own
// lengths.
func Hash(word string, parts ...[]byte) [32]byte {
	h := sha256.New()
	h.Write(Label(word))
	for _, p := range parts {
		h.Write(p)
	}
	return [32]byte(h.Sum(nil))
}

// CardDigest returns what an answer to the card with these exact body bytes
// names: H("card" || body).
func CardDigest(body []byte) [32]byte { return Hash(WordCard, body) }

// CallDigest returns what a card names its call by: H("call" || raw stdin).
func CallDigest(stdin []byte) [32]byte { return Hash(WordCall, stdin) }

// ReceiptHash returns what a receipt names the answer by: H("receipt" || answer
// bytes). A signature is never used as a name, because some browsers make a new
// one each time.
func ReceiptHash(answer []byte) [32]byte { return Hash(WordReceipt, answer) }

// UVChallenge returns the WebAuthn challenge that a passkey signs for these
// answer bytes: H("uv" || answer bytes).
func UVChallenge(answer []byte) [32]byte { return Hash(WordUV, answer) }
