package crypto

import (
	"errors"
	"testing"
)

func TestVectorsOfAnswers(t *testing.T) {
	eachVector(t, "answer.json", func(t *testing.T, v vector) error {
		a := Answer{
			Agent: ID(unhex(t, v.Agent)), Device: ID(unhex(t, v.Device)), Request: [16]byte(unhex(t, v.Request)),
			CardDigest: [32]byte(unhex(t, v.CardDigest)), Decision: Decision(v.Decision), Flags: byte(v.Flags), Via: Via(v.Via),
			MadeMS: v.Made, Payload: unhex(t, v.Payload),
		}
		if err := a.Check(); err != nil {
			return err
		}
		raw := a.Bytes()
		receipt, challenge := ReceiptHash(raw), UVChallenge(raw)
		return errors.Join(equalHex(raw, v.Out), equalHex(receipt[:], v.Receipt), equalHex(challenge[:], v.Challenge))
	})
}

func TestVectorsOfAnswerMessages(t *testing.T) {
	eachVector(t, "agent/answer.json", func(t *testing.T, v vector) error {
		if v.Op == "parse" {
			a, err := ParseAnswer(unhex(t, v.Bytes))
			if err != nil {
				return err
			}
			return equalHex(a.Bytes(), v.Bytes)
		}
		m, err := ParseAnswerMessage(unhex(t, v.Bytes))
		if err != nil {
			return err
		}
		return errors.Join(equalHex(m.Bytes(), v.Bytes), m.Verify(unhex(t, v.Key)))
	})
}

func TestVectorsOfSignedMessages(t *testing.T) {
	eachVector(t, "signed.json", func(t *testing.T, v vector) error {
		agent, device, body := ID(unhex(t, v.Agent)), ID(unhex(t, v.Device)), unhex(t, v.Body)
		if _, err := SignMessage(testKey("device"), agent, device, byte(v.Type), v.Seq, body); err != nil {
			return err
		}
		return equalHex(SignedMessageBytes(agent, device, byte(v.Type), v.Seq, body), v.Out)
	})
	eachVector(t, "agent/signed.json", func(t *testing.T, v vector) error {
		m, err := ParseSignedMessage(unhex(t, v.Bytes))
		if err != nil {
			return err
		}
		return errors.Join(equalHex(m.Bytes(), v.Bytes), m.Verify(unhex(t, v.Key), ID(unhex(t, v.Agent)), byte(v.Type)))
	})
}
