#!/bin/bash
# test_tools SOURCE: the checkers, the bootstrap and the summary, each on made-up input.
#
# A checker that has never complained proves nothing.  Everything happens in a temporary directory,
# with commands of the same name in front of apt-get, sudo and id, so that nothing is installed.
set -u
tools=$1/tools
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n=0

# verdict SENTENCE: takes the verdict of the command before it.
verdict() {
    local held=$?
    n=$((n + 1))
    [ $held -eq 0 ] && echo "ok $n - $1" || { echo "not ok $n - $1" && sed 's/^/# /' "$tmp/log"; }
}

# says WORDS COMMAND...: fails as it should, and says why.
says() {
    local words=$1
    shift
    ! "$@" >"$tmp/log" 2>&1 && grep -q -F -- "$words" "$tmp/log"
}

silent() {
    "$@" >"$tmp/log" 2>&1 && [ ! -s "$tmp/log" ]
}

# --- layers ---

mkdir -p src/base src/store src/memory/doc src/memory/odd src/agent src/odd
source_file() {
    printf '/* A file. */\n%s\n' "$2" >"src/$1"
}
source_file store/down.c '#include "base/str.h"'
source_file base/up.c '#include "store/store.h"'
source_file memory/sqlite.c '#include <sqlite3.h>'
source_file base/sqlite.c '#include <sqlite3.h>'
source_file base/bare.c '#include "str.h"'
source_file base/public.c '#include "jotter.h"'
source_file agent/listed.c '#include "mcp/client/client.h"'
source_file agent/unlisted.c '#include "mcp/server/session.h"'
source_file memory/doc/port.c '#include "memory/port/import.h"'
source_file memory/doc/own.c '#include "memory/doc/doc.h"'
source_file memory/odd/x.c '#include <stdio.h>'
source_file odd/x.c '#include <stdio.h>'
silent "$tools/check-layers" src/store/down.c src/base/public.c src/memory/sqlite.c src/agent/listed.c
verdict includes_that_point_down_are_fine
says 'src/base/up.c:2: base may not include "store/store.h"' "$tools/check-layers" src/base/up.c
verdict an_include_that_points_up_is_found
says 'src/base/sqlite.c:2: <sqlite3.h> belongs to store memory' "$tools/check-layers" src/base/sqlite.c
verdict a_library_outside_its_layer_is_found
says 'src/base/bare.c:2: base may not include "str.h"' "$tools/check-layers" src/base/bare.c
verdict an_include_without_its_layer_is_found
says 'agent may not include "mcp/server/session.h"' "$tools/check-layers" src/agent/unlisted.c
verdict one_header_of_a_layer_can_be_allowed_without_the_others
says "no layer 'odd'" "$tools/check-layers" src/odd/x.c
verdict a_directory_that_is_no_layer_is_found
silent "$tools/check-layers" src/memory/doc/own.c
verdict a_room_may_include_its_own_headers
says 'memory/doc may not include "memory/port/import.h"' "$tools/check-layers" src/memory/doc/port.c
verdict an_include_of_a_room_that_is_not_listed_is_found
says "no room 'memory/odd'" "$tools/check-layers" src/memory/odd/x.c
verdict a_directory_that_is_no_room_is_found

# --- style ---

styled() {
    printf '%b' "$1" >"$tmp/file.c"
    shift
    "$@" "$tools/check-style" "$tmp/file.c"
}
long() {
    printf 'x%.0s' $(seq "$1")
}
lines() {
    printf '    f();\\n%.0s' $(seq "$1")
}
styled "/* A file. */\nint \"$(long 90)ü\";\nint f(void)\n{\n$(lines 100)}\n" silent
verdict a_file_in_the_house_style_is_fine
styled 'int x;\n' says 'file.c:1: a file opens with a comment'
verdict a_file_without_an_opening_comment_is_found
styled '/* A file. */\n\tint x;\n' says 'file.c:2: a tab'
verdict a_tab_is_found
styled '/* A file. */\nint x; \n' says 'file.c:2: space at the end'
verdict space_at_the_end_of_a_line_is_found
styled "/* A file. */\n$(long 101)\n" says 'file.c:2: more than 100 columns'
verdict a_long_line_is_found
prose="$(printf 'word %.0s' $(seq 21))end"
printf '# Page\n\n```\n%s\n```\n\n    %s\n\n| %s |\n- `%s`\n' "$prose" "$prose" "$prose" "$(long 120)" >"$tmp/page.md"
silent "$tools/check-style" "$tmp/page.md"
verdict code_and_tables_of_a_page_may_be_long
printf '# Page\n\n%s\n' "$prose" >"$tmp/page.md"
says 'page.md:3: more than 100 columns of prose' "$tools/check-style" "$tmp/page.md"
verdict a_long_line_of_prose_is_found
styled "/* A file. */\nint f(void)\n{\n$(lines 101)}\n" says 'a function of 101 lines'
verdict a_long_function_is_found
styled "/* A file. */\n/* TO""DO: more */\n" says 'file.c:2: unfinished business'
verdict unfinished_business_is_found
styled '/* A file. */\nchar name[] = "tmp-XXXXXX";\n' silent
verdict the_pattern_of_mkstemp_is_no_unfinished_business
styled "/* A file. */\nchar *p = \"/ho""me/me/x\";\n" says "file.c:2: a path of somebody's machine"
verdict a_path_of_a_machine_is_found
styled '/* A file. */\nint x; // why\n' says 'file.c:2: comments are'
verdict a_comment_to_the_end_of_the_line_is_found
styled '/* A file. */\nchar *p = "https://example.org", *q = "{} // \\" // x";\n' silent
verdict what_a_string_holds_is_no_comment
styled "/* A file. */\n/* clang-format off */\n$(long 101)\n/* clang-format on */\n" silent
verdict a_table_may_have_long_lines

# --- functions ---

# Only a checkout knows its sources, so it is a small tree with tools of its own.
mkdir -p tree/src/base tree/include
cp -r "$tools" tree/ && rm -f tree/tools/*.allow
tree_file() {
    printf '%b' "$2" >"tree/src/$1"
}
functions() {
    "$@" tree/tools/check-functions
}
tree_file base/str.h 'int str_one(int a);\nint str_two(void (*f)(int a, int b, int c), int d, int e, int g, int h, int i);\n'
tree_file base/str.c 'int str_one(int a)\n{\n    return a;\n}\n'
tree_file base/str_more.c 'int str_two(void (*f)(int a, int b, int c), int d, int e, int g, int h, int i)\n{\n    return d;\n}\n'
functions silent
verdict a_header_speaks_for_its_file_and_its_family
tree_file base/buf.h '/* int str_one(int a); */\nint buf_one(int a, int b, int c, int d, int e, int f, int g);\nint str_two(int d);\n'
tree_file base/buf.c 'int buf_one(int a, int b, int c, int d, int e, int f,\n            int g)\n{\n    return a;\n}\n'
functions says 'src/base/buf.h:3: str_two is defined in src/base/str_more.c'
verdict a_declaration_in_a_foreign_header_is_found
functions says 'src/base/buf.c:1: buf_one has 7 parameters'
verdict a_seventh_parameter_is_found
tree_file base/room.h '/* --- Texts (str.c) ---- */\n\nint str_one(int a);\n\n/* --- More (str.c) ---- */\n\nint str_two(int d);\n'
functions says 'src/base/room.h:7: str_two is defined in src/base/str_more.c' && ! grep -q 'room.h:3' "$tmp/log" && rm tree/src/base/room.h
verdict a_section_of_a_header_speaks_for_the_file_it_names

# --- words ---

tree_file base/words.c '/* Told behind. */\nchar *p = "it is written behind "\n          "the head";\nchar *q = "go "\n          "on";\n'
says "src/base/words.c:2: 'behind' in a string: say after" tree/tools/check-words
verdict a_word_of_the_list_is_found_in_a_string
says "src/base/words.c:4: 'go on' in a string" tree/tools/check-words
verdict a_string_of_several_parts_is_one
printf '# fixed\nsrc/base/words.c: written behind the head\nsrc/base/words.c: go on\n' >tree/tools/check-words.allow
silent tree/tools/check-words
verdict a_sentence_that_is_listed_may_stay
printf 'src/base/str.c\n' >>tree/tools/check-words.allow
says "'src/base/str.c: ' allows nothing" tree/tools/check-words
verdict a_line_that_allows_nothing_is_found

# --- measure ---

tree_file base/count.c '/* count.c - counts. */\n#include <x.h>\n\nstatic int once(int a)\n{\n    assert(a);\n    return a; /* it */\n}\n\nint twice(int a)\n{\n    return once(a);\n}\n'
tree/tools/measure src/base >log 2>&1 && rm tree/src/base/[bsw]* && tree/tools/measure | grep -F >log '| src/base | 1 | 9 | 2 | 2 | 100 % | 8 % | 76.9 | 0 | 0 |'
verdict a_file_is_measured

# --- summary ---

mkdir -p b/meson-logs b/meson-info
echo '[{"name": "a", "suite": ["jotter:unit"]}, {"name": "b", "suite": ["jotter:crash"]}]' >b/meson-info/intro-tests.json
logged() {
    printf '{"name": "jotter:%s", "stdout": "%s", "result": "%s", "starttime": 1, "duration": 2, "returncode": 0, "command": ["x"]}\n' \
        "$@" >>b/meson-logs/testlog.json
}
sums_up() {
    "$tools/test-summary" b >"$tmp/log" 2>&1
    [ $? -eq "$1" ] && [ "$(tail -n 1 "$tmp/log")" = "$2" ]
}
sums_up 1 '0 passed, 0 failed'
verdict a_run_without_tests_is_no_success
logged 'unit / a' '[       OK ] one\n[       OK ] two\n' OK
logged 'crash / b' 'crash files: 12 states, 0 violations\n' OK
logged 'crash / c' 'crash files: 7 states, the largest 5 states, 1 violations\n' OK
logged 'contract / d' 'contract mem: 3 promises\n' OK
sums_up 0 '5 passed, 0 failed' && grep -q -x 'contract mem: 3 promises' "$tmp/log"
verdict cases_are_counted_and_what_a_rig_proved_is_shown
grep -q -x 'crash: 19 states, the largest 5 states, 1 violations' "$tmp/log" && ! grep -q 'crash files' "$tmp/log"
verdict what_programs_did_in_shares_is_added_up
logged 'unit / a' '[       OK ] one\n[  FAILED  ] two\n' FAIL
sums_up 1 '6 passed, 1 failed' && grep -q -F '[  FAILED  ] two' "$tmp/log"
verdict a_failed_case_is_counted_and_shown
tail -n 4 "$tmp/log" | grep -q -F '[  FAILED  ] two'
verdict what_failed_is_named_at_the_end_of_the_log
logged 'crash / b' 'the end of the log' TIMEOUT
sums_up 1 '6 passed, 2 failed' && grep -q 'the end of the log' "$tmp/log"
verdict a_program_that_dies_is_a_failed_case

# --- bootstrap ---

mkdir -p boot/bin
cp "$tools/bootstrap" boot/
fake() {
    printf '#!/bin/sh\n%s\n' "$2" >"boot/bin/$1" && chmod +x "boot/bin/$1"
}
boot() {
    env PATH="$tmp/boot/bin:$PATH" boot/bootstrap "$@"
}
fake apt-get 'echo "$@" >>apt.log; exit 1'
fake id 'echo 1000'
fake sudo 'exit 1'
printf 'sh-package build command:sh # here\nno-package test command:no-such-command # nowhere\n' >boot/debian-packages
silent boot build && [ ! -e apt.log ]
verdict with_nothing_missing_bootstrap_is_silent_and_asks_nobody
says 'as root, run: apt-get install --no-install-recommends no-package' boot build test && [ ! -e apt.log ]
verdict without_the_right_to_install_bootstrap_names_the_command
boot >/dev/null 2>&1
[ $? -eq 69 ]
verdict bootstrap_exits_with_69_when_something_stays_missing
printf 'x build pkg:no-such-library # nowhere\ny build archive:libnosuch.a # nowhere\nz build file:/nowhere* # nowhere\n' >boot/debian-packages
says 'apt-get install --no-install-recommends x y z' boot build
verdict bootstrap_misses_libraries_archives_and_files
# --- afresh ---

# What a test finds in whatever state it is started: signals, limits, umask, input, variables.
# Without signals 32 and 33, which make leaves ignored and nobody but the C library can set.
cat >state.sh <<'E'
sed -nE 's/^(Sig(Blk|Ign)):.*(.{7})$/\1 \3/p' /proc/self/status
umask
ulimit -c; ulimit -n; ulimit -f
readlink /proc/self/fd/0
ls /proc/self/fd | wc -l
env | grep -vE '^(_|PWD|SHLVL|PATH|MALLOC_PERTURB_|ASAN_OPTIONS|UBSAN_OPTIONS|TSAN_OPTIONS|TMPDIR|JOT_[A-Z_]*|MESON_[A-Z_]*|CCACHE_[A-Z_]*|CC)=' | sort
E
afresh() { "$1/tests/afresh" sh state.sh; }
afresh "$1" >plain 2>&1 </dev/null
(
    trap '' HUP INT PIPE QUIT TERM CHLD
    umask 077
    ulimit -c 0
    ulimit -n 64
    ulimit -S -f 10
    exec 7<state.sh 8>&1
    setsid nohup env -u USER LANG=de_DE LC_ALL=POSIX TZ=Asia/Tokyo HOME=/root XDG_DATA_HOME=/x JOTTER_PAD=mem: ANTHROPIC_API_KEY=k \
        TMPDIR=/nonexistent http_proxy=http://x "$1/tests/afresh" sh state.sh
) >odd 2>&1 <state.sh
sed -i 's/^64$/1024/' odd # a hard limit that was lowered stays
grep -q 'SigIgn 0000000' plain && grep -q '^LC_ALL=C.UTF-8' plain && diff plain odd >log
verdict a_test_finds_the_same_state_whoever_starts_it

"$1/tests/afresh" sh -c 'exec >log 2>&1 && sh state.sh' <&- >&- 2>&-
diff plain log >odd
verdict a_test_has_its_three_streams_also_if_there_were_none

{ (trap '' HUP && "$1/tests/afresh" sh -c 'kill -HUP $$; echo alive') >log || [ $? -eq 129 ]; } 2>/dev/null && [ ! -s log ]
verdict a_signal_that_was_ignored_ends_a_test_again

says 'could not run ./none: No such file or directory' "$1/tests/afresh" ./none
verdict a_test_that_is_not_there_is_told

echo "1..$n"
