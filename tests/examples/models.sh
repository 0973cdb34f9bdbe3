#!/bin/sh
# models SOURCE JOTTER: the demonstration with a real model: `make run MODEL=URL`, or a key in the environment.
# The model is model.py, on this machine; the loop, the kill, the resume and the report are real.
set -u
source=$1 JOTTER=$2
export JOTTER
. "$(dirname "$0")/../holds.sh"
unset JOTTER_MODEL ANTHROPIC_API_KEY OPENAI_API_KEY JOTTER_API_KEY JOTTER_API_KEY_FILE MODEL MAKEFLAGS MFLAGS MAKELEVEL \
    http_proxy https_proxy all_proxy ALL_PROXY
key=sk-canary-0123456789abcdef
true='Yes: the second session knows what the first one found out.'
export JOTTER_DEMO="$tmp/demo"

mkfifo "$tmp/stop"
python3 "$(dirname "$0")/model.py" $key <"$tmp/stop" >"$tmp/port" &
server=$!
exec 9>"$tmp/stop"
trap 'exec 9>&-; wait $server; rm -rf "$tmp"' EXIT
while [ ! -s "$tmp/port" ] && kill -0 $server; do sleep 0.05; done
at=http://127.0.0.1:$(cat "$tmp/port")

# shows CODE TEXT... -- COMMAND...: it ends so, says all of that, and the key is neither in its words nor in the pad.
shows() {
    code=$1 got=0
    shift
    : >"$tmp/want"
    while [ "$1" != -- ]; do
        printf '%s\n' "$1" >>"$tmp/want"
        shift
    done
    shift
    "$@" >"$tmp/out" 2>&1 9>&- || got=$?
    cat "$tmp/out"
    [ $got -eq "$code" ] || { echo "it ended with $got, not $code" && return 1; }
    while IFS= read -r text; do
        grep -q -F -- "$text" "$tmp/out" || { echo "it does not say: $text" && return 1; }
    done <"$tmp/want"
    ! grep -r -q -F -e $key "$tmp/out" "$JOTTER_DEMO" || { echo 'the key was shown' && return 1; }
}
url() { echo "$at/$1/v1#tiny:1b"; }
demo() { "$source/examples/demo" --model "$(url "$1")"; }
made() { make --no-print-directory -C "$source" -o program run "$@"; }

# Where commands cannot be confined they are run as they are: model.py asks for uname and nproc only.
(cd "$tmp" && "$JOTTER" run 'May commands be run?' --model "script:$source/examples/demo.yaml#probe" --allow shell --quiet) >"$tmp/probe" 2>&1
if grep -q 'cannot be confined' "$tmp/probe"; then
    printf '#!/bin/sh\n[ "$1" != run ] || set -- "$@" --unconfined\nexec "%s" "$@"\n' "$JOTTER" >"$tmp/open"
    chmod 755 "$tmp/open"
    JOTTER=$tmp/open
fi

# --- It works -----------------------------------------------------------------------------------

holds 'make run MODEL=URL takes a server that speaks like OpenAI, without a key; killed, it asks the same again' \
    shows 0 'The model is that of --model' 'kill -9, in the middle' 'It goes on where it was' "$true" -- made MODEL="$(url plain)"
holds 'make run with ANTHROPIC_API_KEY asks Anthropic; killed, it asks the same again' \
    shows 0 "Anthropic's, for ANTHROPIC_API_KEY is set" 'kill -9, in the middle' "$true" -- \
    env ANTHROPIC_API_KEY=$key OPENAI_API_KEY=other ANTHROPIC_BASE_URL="$at/plain" make --no-print-directory -C "$source" -o program run
holds 'make run with OPENAI_API_KEY asks OpenAI; killed, it asks the same again' \
    shows 0 "OpenAI's, for OPENAI_API_KEY is set" 'kill -9, in the middle' "$true" -- \
    env OPENAI_API_KEY=$key OPENAI_BASE_URL="$at/plain/v1" make --no-print-directory -C "$source" -o program run
holds 'JOTTER_MODEL names a model, and a key of somebody else is not given to it' \
    shows 0 'that of JOTTER_MODEL' "$true" -- env OPENAI_API_KEY=$key JOTTER_MODEL="$(url fast)" "$source/examples/demo"
holds 'a model may make many calls at once, find another wording, and ask for what is not allowed' \
    shows 0 "'write_file' is not allowed here" "'shell' is not allowed here" '**Kernel**' "$true" -- demo eager
holds 'a model without tool calls may say them in JSON' shows 0 "$true" -- "$source/examples/demo" --protocol json --model "$(url fast)"
holds 'a model may leave its plan open' shows 0 'the plan is incomplete' "$true" -- demo open

# --- It does not --------------------------------------------------------------------------------

kernel=$(uname -r)
holds 'a wrong kernel is found out, though the tools have said the right one' \
    shows 1 'The kernel is 2.4.0' "demo: the report does not have the kernel $kernel" -- demo liar
holds 'so is a wrong number of CPUs' \
    shows 1 "The kernel is $kernel" 'demo: the report does not have the number of CPUs, ' -- demo miscounts
holds 'a model that keeps nothing' shows 1 "demo: session one ended without the note 'machine'" -- demo idle
holds 'a model that does not look into the pad' shows 1 'demo: session two ended without an answer' -- demo stubborn
holds 'a key that is refused, and shown in the refusal' shows 1 401 'demo: session one failed, as said above' -- \
    env ANTHROPIC_API_KEY=$key-2 ANTHROPIC_BASE_URL="$at/fast" "$source/examples/demo"
holds 'a server that is not there' shows 1 "Couldn't connect" 'demo: session one failed, as said above' -- \
    "$source/examples/demo" --model http://127.0.0.1:1/v1#tiny:1b
holds 'a place without models' shows 1 404 'demo: session one failed, as said above' -- \
    "$source/examples/demo" --model "$at/fast/v2#tiny:1b"

# --- Around it ----------------------------------------------------------------------------------

odd="it's \$HOME \$(shell touch \$T/1) \\\$x;touch \$T/2 \""
holds 'make run MODEL=... takes any text for what it is' shows 2 "no model at '$odd'" -- env T="$tmp" \
    make --no-print-directory -C "$source" -o program run MODEL="$odd"
holds 'and runs none of it' test ! -e "$tmp/1" -a ! -e "$tmp/2"

# A machine on which commands cannot be confined: this program says so instead of the probe.
cat >"$tmp/jotter" <<E
#!/bin/sh
case "\$*" in *'#probe'*) echo 'commands cannot be confined here' ;; *) exec "$JOTTER" "\$@" ;; esac
E
chmod 755 "$tmp/jotter"
holds 'without confinement no model is let at the machine' \
    shows 1 'demo: commands cannot be confined on this machine' 'examples/demo --unconfined' -- env JOTTER="$tmp/jotter" "$source/examples/demo" --model "$(url fast)"
holds 'unless that is wanted' shows 0 "$true" -- env JOTTER="$tmp/jotter" "$source/examples/demo" --unconfined --model "$(url fast)"
holds 'the script is' shows 0 'those of this script are harmless' "$true" -- env JOTTER="$tmp/jotter" "$source/examples/demo"
holds 'what is told to OpenMP does not change the number of CPUs' shows 0 "$true" -- env OMP_NUM_THREADS=77 "$source/examples/demo"
holds 'without a program it is said how to get one' shows 1 'make builds it' -- env JOTTER="$tmp/none" "$source/examples/demo"
holds 'the demonstration says how it is called' shows 0 '--model URL' -- "$source/examples/demo" --help
echo "1..$n"
