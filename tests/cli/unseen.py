#!/usr/bin/env python3
# unseen.py: reads what was sent to a terminal, and says what of it is not seen.
#
# By Python's tables, not by ours.  Joiners and selectors are fine between what is not ASCII; progress
# may begin its line anew and erase it.
import sys
import unicodedata

FILLERS = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0}
text = sys.stdin.buffer.read().replace(b"\x1b[K", b"").replace(b"\r", b"").decode()
bad = 0
for at, c in enumerate(text):
    kind, code, before = unicodedata.category(c), ord(c), text[at - 1] if at else "\n"
    after = text[at + 1] if at + 1 < len(text) else "\n"
    if c in "\n\t ":
        continue
    joined = c in "\u200c\u200d" and before > "\x7f" and after > "\x7f"
    selects = 0xFE00 <= code <= 0xFE0F and unicodedata.category(before)[0] in "LSN"
    if joined or selects:
        continue
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F
    alone = kind[0] == "M" and (before in "\n\t " or unicodedata.category(before)[0] == "C")
    if kind in ("Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp") or code in FILLERS or selector or alone:
        print("# not seen: U+%04X in %r" % (code, text[max(0, at - 30):at + 30]))
        bad = 1
sys.exit(bad)
