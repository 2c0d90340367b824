"""Receives webhooks: verifies each one, answers at once, handles each event once. Python 3.9, standard library only.

    SIGNING_SECRETS=whsec_… python3 receiver.py

While you change over to a new secret, give both, separated by a comma.
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WINDOW_SECONDS = 300


def is_genuine(header, raw_body, secrets, now):
    """True when one of the signatures fits these very bytes, and the timestamp is at most five minutes off."""
    fields = [field.strip().partition("=") for field in (header or "").split(",")]
    timestamp = next((value for name, _, value in fields if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > WINDOW_SECONDS:
        return False
    given = [value.encode() for name, _, value in fields if name == "v1"]
    genuine = False
    for secret in secrets:
        signed = timestamp.encode() + b"." + raw_body
        expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
        for signature in given:
            genuine |= hmac.compare_digest(signature, expected)
    return genuine


def secrets_of(setting):
    """What is left of a setting: with an empty secret, anybody could sign."""
    return [secret.strip() for secret in setting.split(",") if secret.strip()]


SECRETS = secrets_of(os.environ.get("SIGNING_SECRETS", ""))
work = queue.Queue()
seen = set()  # in your database: a unique key, inserted in the transaction that stores the event
seen_lock = threading.Lock()


def is_new(key):
    with seen_lock:
        if key in seen:
            return False
        seen.add(key)
        return True


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if not is_genuine(self.headers.get("X-Service-Signature"), raw_body, SECRETS, time.time()):
            return self.answer(400)
        event = json.loads(raw_body)
        subject = event.get("tradeSessionId") or self.headers["X-Service-Event-Id"]
        if is_new((subject, event["event"])):
            work.put(event)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def handle_events():
    while True:
        event = work.get()
        print("handled", event["event"], event.get("tradeSessionId", ""), flush=True)


def check_vectors():
    """Lines of time, secrets, header and body (both in base64): says of each whether it is genuine."""
    for line in sys.stdin:
        now, secrets, header, body = line.rstrip("\n").split("\t")
        genuine = is_genuine(base64.b64decode(header).decode(), base64.b64decode(body), secrets_of(secrets), int(now))
        print("genuine" if genuine else "refused")


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        check_vectors()
    elif not SECRETS:
        sys.exit("SIGNING_SECRETS is missing: the signing secret of the account")
    else:
        threading.Thread(target=handle_events, daemon=True).start()
        ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "4000"))), Receiver).serve_forever()
