#!/bin/bash
# linux.t - docs/design.md lists every call that only Linux has, with its file and what a port would put there.
#
# The sandbox is one row of that table and not gone through: all of it is Linux's.
source=$(realpath "$(dirname "$0")/../..")
. "$(dirname "$0")/lib.sh"

cat >compare.py <<'PY'
import pathlib, re, sys
source = pathlib.Path(sys.argv[1])
names = """accept4 close_range CLOCK_BOOTTIME copy_file_range dup3 epoll_create1 eventfd execveat fallocate fexecve
fstatfs F_OFD_GETLK F_OFD_SETLK F_SETLEASE F_SETPIPE_SZ getdents64 getrandom gettid inotify_add_watch inotify_init1
MADV_WIPEONFORK memfd_create mremap name_to_handle_at O_DIRECT O_PATH O_TMPFILE openat2 pidfd_open pipe2 prctl
renameat2 secure_getenv signalfd SOCK_CLOEXEC SO_PEERCRED splice statfs statx sync_file_range syncfs sysinfo TCP_KEEPIDLE
tgkill timerfd_create unshare""".split()
call = re.compile(r"(?<!struct )\b(?:SYS_)?(%s)\b(?!\.h)" % "|".join(names))
path = re.compile(r'"(/(?:proc|sys)/[^"%]*[^"%/])')
text = (source / "docs/design.md").read_text()
section = text[text.index("## What is Linux's"):text.index("\n## Limits")]
rows = [line.split("|")[1:5] for line in section.splitlines() if line.startswith("| `") ]
listed = {(file, name) for calls, files, _, _ in rows for file in re.findall(r"`([^`]+)`", files)
          for name in re.findall(r"[/\w]+", calls)}
bad = [f"{calls.strip()}: what a port would put there is not said" for calls, _, _, port in rows if len(port) < 5]
found = set()
for file in sorted((source / "src").rglob("*.c")):
    name = str(file.relative_to(source / "src"))
    if name.startswith("agent/sandbox/"):
        continue
    code = re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.S)
    found |= {(name, word) for word in call.findall(code)}
    found |= {(name, re.sub(r"^/sys/.*", "/sys/fs", word)) for word in path.findall(code)}
bad += [f"{name} calls {word}: it is not in the table" for name, word in sorted(found - listed)]
if len(found) < 20:
    bad.append(f"only {len(found)} calls were found")
print("\n".join("# " + b for b in bad))
sys.exit(bool(bad))
PY
listed() { python3 compare.py "$source"; }
try 'what only Linux has is in docs/design.md, with its file and what a port would put there' listed

plan
