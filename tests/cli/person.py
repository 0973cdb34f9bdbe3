#!/usr/bin/env python3
# person.py [WAIT KEYS]... -- COMMAND...: a person at a terminal.
#
# Runs the command at a terminal of its own and types KEYS (\n, \x03 for Ctrl-C, \x04 for Ctrl-D) as
# soon as WAIT is shown, counted from the last such moment; an empty WAIT is typed at once.  Prints
# what was shown, and ends as the command does.
import os
import pty
import select
import signal
import sys

split = sys.argv.index("--")
plan = [word.encode().decode("unicode_escape").encode() for word in sys.argv[1:split]]
signal.alarm(300)  # only keeps a mistake from hanging
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[split + 1], sys.argv[split + 1:])
shown, at = b"", 0
while True:
    while plan and plan[0] in shown[at:]:
        at = len(shown)
        os.write(terminal, plan[1])
        del plan[:2]
    select.select([terminal], [], [])
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # nobody has it open any more
        break
    shown += piece
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status) % 256)
