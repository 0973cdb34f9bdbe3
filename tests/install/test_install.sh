#!/bin/sh
# test_install SOURCE BUILD: `make install` into an empty place, then use it as a stranger would.
#
# The stranger knows only pkg-config.  Everything happens in a temporary directory; the prefix inside it
# is read from the installed jotter.pc, because the person at the machine may have chosen another.
set -u
source=$1 build=$2
if [ "$build" != "$source/build" ]; then
    echo "1..0 # SKIP make install installs from build/, and this is another directory"
    exit 0
fi
unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH
. "$(dirname "$0")/../holds.sh"

cat >"$tmp/use.c" <<'PROGRAM'
#include <jotter.h>
#include <string.h>
int main(int argc, char **argv)
{
    jot_pad *pad = jot_new();
    const jot_doc *plan;
    if (argc != 2 || strcmp(jot_version(), JOT_VERSION) != 0)
        return 1;
    if (jot_open(pad, argv[1], NULL) != JOT_OK)
        return 2;
    if (jot_doc_write(pad, "plan", jot_str("ship"), NULL, NULL) != JOT_OK)
        return 3;
    if (jot_search(pad, "ship", NULL, NULL) != JOT_OK)
        return 4;
    if (jot_doc_read(pad, "plan", NULL, &plan) != JOT_OK || strcmp(plan->text.data, "ship") != 0)
        return 5;
    jot_free(pad);
    return 0;
}
PROGRAM

installs() { make -s -C "$source" install DESTDIR="$tmp/root"; }
holds make_install_succeeds installs

pc=$(find "$tmp/root" -name jotter.pc)
libdir=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH="$libdir/pkgconfig" PKG_CONFIG_SYSROOT_DIR=
prefix=$(pkg-config --variable=prefix jotter)
flags() { pkg-config --define-variable=prefix="$tmp/root$prefix" "$@" jotter; }

runs() { "$tmp/root$prefix/bin/jotter" --version; }
holds the_installed_binary_runs runs

dynamic() {
    cc -o "$tmp/dynamic" "$tmp/use.c" $(flags --cflags --libs) &&
        readelf -d "$tmp/dynamic" | grep -q 'NEEDED.*libjotter\.so\.' &&
        LD_LIBRARY_PATH="$libdir" "$tmp/dynamic" "files:$tmp/pad"
}
holds a_program_links_the_shared_library_and_runs dynamic

static() {
    cc -static -o "$tmp/static" "$tmp/use.c" $(flags --static --cflags --libs) && "$tmp/static" "sqlite:$tmp/pad.db"
}
holds a_program_links_the_static_library_and_runs_alone static

manuals() { ls "$tmp/root$prefix/share/man/man1/jotter.1" "$tmp/root$prefix/share/man/man3/jotter.3"; }
holds the_manuals_are_installed manuals

nothing_else() {
    find "$tmp/root" -type f -o -type l | sed "s,^$tmp/root$prefix/,," |
        grep -v -x -E 'bin/jotter|include/jotter\.h|lib/(.*/)?(libjotter\.(a|so[.0-9]*)|pkgconfig/jotter\.pc)|share/(man|doc|bash-completion|zsh|fish)/.*' >"$tmp/extra"
    cat "$tmp/extra"
    [ ! -s "$tmp/extra" ]
}
holds nothing_else_is_installed nothing_else

stripped() { ! readelf -S "$tmp/root$prefix/bin/jotter" | grep -q '\.debug_info'; }
holds the_installed_binary_is_stripped stripped

removes() {
    echo mine >"$tmp/root$prefix/bin/mine"
    make -s -C "$source" uninstall DESTDIR="$tmp/root" && [ "$(cd "$tmp/root$prefix" && find . -type f -o -type l)" = ./bin/mine ]
}
holds make_uninstall_removes_what_was_installed_and_nothing_else removes
echo "1..$n"
