package relayserver

import "net/http"

// contentPolicy lets the app load from its own origin only, and lets no script
// run that did not come as a file. Trusted Types: a string becomes code only
// through the policy named "answerback", which the app uses once, to register
// its service worker.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types answerback"

// strictHeaders are on every answer, so that no path can be framed, sniffed or
// scripted, whatever it is.
func strictHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// allowOrigin lets a page of a named app origin read the answer. The relay's
// own origin needs no leave, and others get none.
func allowOrigin(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); origin != "" {
		w.Header().Set("Access-Control-Allow-Origin", origin)
	}
}

// servePreflight answers what a browser asks before a POST from an app origin.
func (s *Server) servePreflight(w http.ResponseWriter, r *http.Request) {
	if !s.originAllowed(r) {
		http.Error(w, "This origin may not use the relay.", http.StatusForbidden)
		return
	}
	allowOrigin(w, r)
	w.Header().Set("Access-Control-Allow-Methods", "POST")
	w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
	w.Header().Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
}
