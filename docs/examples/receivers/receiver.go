// Receives webhooks: verifies each one, answers at once, handles each event once. Go 1.19, standard library only.
//
//	SIGNING_SECRETS=whsec_… go run receiver.go
//
// While you change over to a new secret, give both, separated by a comma.
package main

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const windowSeconds = 300

// isGenuine is true when one of the signatures fits these very bytes, and the timestamp is at most five minutes off.
func isGenuine(header string, rawBody []byte, secrets []string, now int64) bool {
	timestamp := ""
	var given [][]byte
	for _, field := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		if name == "t" && timestamp == "" {
			timestamp = value
		} else if name == "v1" {
			given = append(given, []byte(value))
		}
	}
	at, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || now-int64(at) > windowSeconds || int64(at)-now > windowSeconds {
		return false
	}
	genuine := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(timestamp + "."))
		mac.Write(rawBody)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, signature := range given {
			genuine = hmac.Equal(signature, expected) || genuine
		}
	}
	return genuine
}

// secretsOf is what is left of a setting: with an empty secret, anybody could sign.
func secretsOf(setting string) []string {
	var secrets []string
	for _, secret := range strings.Split(setting, ",") {
		if secret = strings.TrimSpace(secret); secret != "" {
			secrets = append(secrets, secret)
		}
	}
	return secrets
}

type event struct {
	Event          string `json:"event"`
	TradeSessionID string `json:"tradeSessionId"`
}

// In your database: a unique key, inserted in the transaction that stores the event.
var seen sync.Map

func receive(secrets []string, work chan<- event) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		rawBody, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || !isGenuine(r.Header.Get("X-Service-Signature"), rawBody, secrets, time.Now().Unix()) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var e event
		if json.Unmarshal(rawBody, &e) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		subject := e.TradeSessionID
		if subject == "" {
			subject = r.Header.Get("X-Service-Event-Id")
		}
		if _, known := seen.LoadOrStore([2]string{subject, e.Event}, true); !known {
			work <- e
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// checkVectors reads lines of time, secrets, header and body (both in base64) and says of each whether it is genuine.
func checkVectors() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		now, _ := strconv.ParseInt(fields[0], 10, 64)
		header, _ := base64.StdEncoding.DecodeString(fields[2])
		body, _ := base64.StdEncoding.DecodeString(fields[3])
		if isGenuine(string(header), body, secretsOf(fields[1]), now) {
			fmt.Println("genuine")
		} else {
			fmt.Println("refused")
		}
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "--check" {
		checkVectors()
		return
	}
	secrets := secretsOf(os.Getenv("SIGNING_SECRETS"))
	if len(secrets) == 0 {
		log.Fatal("SIGNING_SECRETS is missing: the signing secret of the account")
	}
	work := make(chan event, 1000)
	go func() {
		for e := range work {
			fmt.Println("handled", e.Event, e.TradeSessionID)
		}
	}()
	port := os.Getenv("PORT")
	if port == "" {
		port = "4000"
	}
	http.HandleFunc("/", receive(secrets, work))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
