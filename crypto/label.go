package crypto

// This file is the one home of every label but the mailbox id's three (box, r
// and w), which live in relay, because the relay may not import this package.
//
// A label is "answerback/1 " || word || 0x00. No word holds a zero byte, so no
// label is the beginning of another, and nothing that is hashed, signed or
// derived under one label can be read as something made under another one.
//
//	word         made into                                         by
//	bundle       key and aad of the bundle; the code's fingerprint  pairing
//	stop         key and aad of a stop message                      pairing
//	commit       C_a = H(label || N_a)                              pairing
//	t1, t2       transcript hashes H1, H2                           pairing
//	pair box r/w mailbox keys of one code                           pairing
//	msg1..msg3   keys and aad of the three pairing messages         pairing
//	digits       the eight bytes behind the six digits              pairing
//	root         K, the root of one pairing                         pairing
//	pair         signed by the device in message 1                  pairing
//	confirm      signed by the agent in message 2                   pairing
//	box r/w      mailbox keys of one pairing                        pairing
//	chain 0      chain[d0]                                          pairing
//	chain        chain[d+1]                                         Chain.Next
//	key          key[d][direction]                                  Chain.Key
//	reply        keys of a one-shot reply box                       Chain.Reply
//	topic        a push topic                                       Chain.Topic
//	agent        agent_id                                           AgentID
//	device       device_id                                          DeviceID
//	answer       first bytes of the signed answer                   Answer.Bytes
//	card         card_digest                                        CardDigest
//	call         call_digest                                        CallDigest
//	receipt      the hash in a receipt                              ReceiptHash
//	uv           the passkey's challenge                            UVChallenge
//	message      first bytes of a signed device message             SignedMessageBytes
//	roster       roster_hash                                        agent
const (
	WordBundle   = "bundle"
	WordStop     = "stop"
	WordCommit   = "commit"
	WordT1       = "t1"
	WordT2       = "t2"
	WordPairBoxR = "pair box r"
	WordPairBoxW = "pair box w"
	WordMsg1     = "msg1"
	WordMsg2     = "msg2"
	WordMsg3     = "msg3"
	WordDigits   = "digits"
	WordRoot     = "root"
	WordPair     = "pair"
	WordConfirm  = "confirm"
	WordBoxR     = "box r"
	WordBoxW     = "box w"
	WordChain0   = "chain 0"
	WordChain    = "chain"
	WordKey      = "key"
	WordReply    = "reply"
	WordTopic    = "topic"
	WordAgent    = "agent"
	WordDevice   = "device"
	WordAnswer   = "answer"
	WordCard     = "card"
	WordCall     = "call"
	WordReceipt  = "receipt"
	WordUV       = "uv"
	WordMessage  = "message"
	WordRoster   = "roster"
)

// Label returns "answerback/1 " || word || 0x00.
func Label(word string) []byte {
	return append([]byte("answerback/1 "+word), 0)
}
