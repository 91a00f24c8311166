package agent

import (
	"time"

	"answerback/agent/card"
)

// record keeps what was said to exactly these answer bytes; the same bytes get the same words again.
func (e *entry) record(hash [32]byte, r card.Receipt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.receipts[hash] = r
}

// maxReceipts bounds how many different late answers to one card are remembered: a broken device could send any number.
const maxReceipts = 64

// recordLate is record for an answer that changed nothing.
func (e *entry) recordLate(hash [32]byte, r card.Receipt) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.receipts) < maxReceipts {
		e.receipts[hash] = r
	}
}

// receiptEvery is the least time between two receipts for the same bytes, but for the first. A device that lost one asks again after a second;
// whoever else has the bytes could use up what the relay lets us send.
const receiptEvery = 500 * time.Millisecond

// recorded is what was said to these answer bytes; due says whether it is time to say it again.
func (e *entry) recorded(hash [32]byte, now time.Time) (r card.Receipt, known, due bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r, known = e.receipts[hash]
	due = now.Sub(e.told[hash]) >= receiptEvery
	if known && due {
		e.told[hash] = now
	}
	return r, known, due
}

// wonBy reports whether the card was settled by exactly these answer bytes.
func (e *entry) wonBy(hash [32]byte) bool {
	select {
	case <-e.done:
	default:
		return false
	}
	return e.outcome.how == answered && e.outcome.answer.ReceiptHash() == hash
}
