package relay

import "crypto/sha256"

// The three labels of the mailbox id. They are the only labels of the
// protocol that the relay knows.
const (
	labelBox    = "answerback/1 box\x00"
	labelReader = "answerback/1 r\x00"
	labelWriter = "answerback/1 w\x00"
)

// ReaderKey is r: whoever shows it may read the box.
type ReaderKey [32]byte

// WriterKey is w: whoever shows it may write to the box.
type WriterKey [32]byte

// KeyHash is H("r", r) or H("w", w): what one side shows of the other's key.
type KeyHash [32]byte

// Box is the id of a mailbox: the first 20 bytes of a SHA-256.
type Box [20]byte

// HashR returns H("r", r).
func HashR(r ReaderKey) KeyHash { return hashKey(labelReader, r) }

// HashW returns H("w", w).
func HashW(w WriterKey) KeyHash { return hashKey(labelWriter, w) }

// BoxOf returns the id of the box whose keys hash to hr and hw.
func BoxOf(hr, hw KeyHash) Box {
	var in [len(labelBox) + 64]byte
	n := copy(in[:], labelBox)
	n += copy(in[n:], hr[:])
	copy(in[n:], hw[:])
	sum := sha256.Sum256(in[:])
	return Box(sum[:20])
}

// BoxFor returns the id of the box with the keys r and w, for those who know
// both: the two ends.
func BoxFor(r ReaderKey, w WriterKey) Box { return BoxOf(HashR(r), HashW(w)) }

func hashKey(label string, key [32]byte) KeyHash {
	var in [len(labelReader) + 32]byte
	n := copy(in[:], label)
	copy(in[n:], key[:])
	return sha256.Sum256(in[:])
}
