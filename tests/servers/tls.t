#!/bin/bash
# tls.t - a pad in Postgres over TLS, and certificates that do not fit.
. "$(dirname "$0")/lib.sh"
at() { echo "postgres://jotter:hush@$1:$JOT_TEST_TLS/pads?pad=team&sslmode=verify-full&sslrootcert=$JOT_TEST_TLS_DIR/$2"; }

works() {
    jot --pad "$(at localhost ca.pem)" init && ends 0 && jot --pad "$(at localhost ca.pem)" write plan text && ends 0 &&
        jot --pad "$(at localhost ca.pem)" read plan && is text
}
try 'a pad works over TLS' works

# refuses HOST CA TEXT: one sentence that names the thing, without the password.
refuses() {
    jot --pad "$(at "$1" "$2")" read plan && ends 77 && tells "$3" && [ "$(wc -l <.err)" = 1 ] && ! grep -q hush .out .err
}
other() { refuses 127.0.0.1 ca.pem "certificate of '127.0.0.1" && refuses localhost cert.pem certificate; }
try 'a certificate for another host, or by another authority, is refused in one sentence' other

absent() { jot --pad "$(at localhost none.pem)" read plan && tells none.pem && [ "$(wc -l <.err)" = 1 ] && ! grep -q hush .out .err && [ "$code" != 0 ]; }
try 'a file of authorities that is not there is named' absent
plan
