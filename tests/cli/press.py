#!/usr/bin/env python3
# press.py COMMAND...: a person who presses Ctrl-C in the middle of long work.
#
# The terminal takes no output (as after Ctrl-S), so work that shows how far it is cannot come to its end,
# however fast the machine is; as soon as the command catches the key, it is pressed, which also lets the
# output go on.  Prints what was shown, and ends as the command does.
import os
import pty
import signal
import sys
import time

signal.alarm(300)  # only keeps a mistake from hanging
signal.signal(signal.SIGINT, signal.SIG_DFL)  # until the command is there nobody catches it
terminal, inside = pty.openpty()
os.write(terminal, b"\x13")
pid = os.fork()
if pid == 0:
    os.close(terminal)
    os.login_tty(inside)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(inside)


def catches():
    with open(f"/proc/{pid}/status") as status:
        caught = next((line.split()[1] for line in status if line.startswith("SigCgt")), "0")
    return int(caught, 16) & 1 << (signal.SIGINT - 1)


while not catches() and os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
    time.sleep(0.005)
os.write(terminal, b"\x03")
shown = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # nobody has it open any more
        break
    shown += piece
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(status) % 256)
