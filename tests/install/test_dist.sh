#!/bin/sh
# test_dist SOURCE BUILD: the packages of `make dist`, used as strangers would who have nothing of this repository.
#
# The wheel is unpacked by its own rules, because Debian's python3 comes without pip.  What it carries runs with
# the library inside it: no other is named, and none is looked for.
set -u
source=$1 build=$2
if [ "$build" != "$source/build" ]; then
    echo "1..0 # SKIP make dist packs what is in build/, and this is another directory"
    exit 0
fi
unset MAKEFLAGS MFLAGS MAKELEVEL JOTTER_PAD JOTTER_LIBRARY LD_LIBRARY_PATH PYTHONPATH
. "$(dirname "$0")/../holds.sh"
export SOURCE_DATE_EPOCH=1700000000

packs() { "$source/tools/dist" --into "$tmp/one" tar wheel npm; }
holds the_tar_the_wheel_and_the_npm_package_are_packed packs

same() { "$source/tools/dist" --into "$tmp/two" tar wheel npm && diff -r "$tmp/one" "$tmp/two"; }
holds packing_twice_gives_the_same_bytes same

# A build id would be made of the debugging data, too, in which the directory stands.
anywhere() {
    mkdir "$tmp/parts" && tar -xzf "$tmp"/one/*.tgz -C "$tmp/parts" && python3 -m zipfile -e "$tmp"/one/*.whl "$tmp/parts" || return 1
    for part in bin/jotter prebuilds/*/jotter.node; do set -- "$@" "$tmp"/parts/package/$part; done
    for part in "$@" "$tmp/parts/jotter/libjotter.so.0"; do
        ! readelf -nW "$part" | grep 'Build ID' && ! grep -aF "$source" "$part" || return 1
    done
}
holds what_is_packed_does_not_tell_in_which_directory_it_was_built anywhere

refuses() { ! "$source/tools/dist" --into "$tmp/three" rpm 2>"$tmp/err" && grep "no kind 'rpm': there are tar, wheel, npm" "$tmp/err"; }
holds a_kind_that_does_not_exist_is_refused refuses

# An environment of its own, into which the wheel is unpacked as the specification says: files to the packages, scripts to
# the commands, hashes compared.
alone() { env -i PATH=/usr/bin:/bin HOME="$tmp" "$@"; }
unpacks() {
    alone python3 -m venv --without-pip "$tmp/venv" && site=$(echo "$tmp"/venv/lib/python3*/site-packages) && [ -d "$site" ] || return 1
    python3 - "$tmp/one"/*.whl "$site" "$tmp/venv/bin" <<'PYTHON'
import base64, csv, hashlib, io, os, sys, zipfile
wheel, site, commands = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    record = next(n for n in archive.namelist() if n.endswith(".dist-info/RECORD"))
    rows = {row[0]: row for row in csv.reader(io.TextIOWrapper(archive.open(record)))}
    assert set(rows) == set(archive.namelist())
    for info in archive.infolist():
        data = archive.read(info)
        kind, _, digest = rows[info.filename][1].partition("=")
        if info.filename != record:
            assert kind == "sha256" and int(rows[info.filename][2]) == len(data)
            assert base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=") == digest
        path = os.path.join(site, info.filename)
        if ".data/scripts/" in info.filename:
            path = os.path.join(commands, os.path.basename(info.filename))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as to:
            to.write(data)
        os.chmod(path, info.external_attr >> 16 & 0o777)
PYTHON
}
holds the_wheel_lists_every_file_with_its_hash unpacks

cat >"$tmp/use.py" <<'PYTHON'
import jotter, sys
with jotter.open("files:" + sys.argv[1], as_="stranger") as pad:
    first = pad.write("plan", "we ship on friday")
    pad["plan"] = "we ship on monday"
    try:
        pad.write("plan", "never", if_version=first.version)
    except jotter.Conflict as conflict:
        assert conflict.now.text == "we ship on monday"
    assert [hit.name for hit in pad.search("shipping")] == ["plan"]
    pad.task.add(description="bake")
maps = open("/proc/self/maps").read()
assert "/venv/lib/python" in maps and "/jotter/libjotter.so.0" in maps, maps
for other in ("jansson", "libcrypto", "libyaml", "libsqlite3", "libutf8proc", "libstemmer"):
    assert other not in maps, other
print("fine")
PYTHON
uses() { cd "$tmp" && alone "$tmp/venv/bin/python" -I -X utf8 "$tmp/use.py" "$tmp/pad" | grep -x fine; }
holds python_uses_the_library_inside_the_wheel_and_no_other uses

commands() { [ "$(env -i HOME="$tmp" "$tmp/venv/bin/jotter" --pad "files:$tmp/pad" read plan)" = 'we ship on monday' ]; }
holds the_command_of_the_wheel_reads_what_python_wrote commands

# examples README LANGUAGE...: what it shows in these languages, each a file in $tmp/shown; how many there are.
examples() {
    rm -rf "$tmp/shown" && mkdir "$tmp/shown" && python3 - "$@" "$tmp/shown" <<'PYTHON'
import os, re, sys
readme, *languages, into = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    text = file.read()
shown = re.findall(r"^```(%s)\n(.*?)^```" % "|".join(languages), text, re.M | re.S)
for title, language in (("Python", "python"), ("Node", "js")):  # in the README of all, they are indented
    for part in re.findall(r"^## From %s\n(.*?)^## " % title, text, re.M | re.S) if language in languages else ():
        shown.append((language, "".join(line[4:] + "\n" for line in part.splitlines() if line.startswith("    "))))
for n, (language, code) in enumerate(shown):
    with open(os.path.join(into, f"{n}.{ {'python': 'py', 'js': 'mjs', 'cjs': 'cjs'}[language] }"), "w", encoding="utf-8") as file:
        file.write(code)
print(len(shown))
PYTHON
}

# shows README N LANGUAGES COMMAND...: COMMAND runs each of its N examples in an empty folder, after which `plan` is in the pad.
shows() {
    shown=$1 wanted=$2 languages=$3
    shift 3
    [ "$(examples "$shown" $languages)" = "$wanted" ] || return 1
    for example in "$tmp"/shown/*; do
        rm -rf "$tmp/folder" && mkdir "$tmp/folder" && ln -s "$tmp/node_modules" "$tmp/folder" && cp "$example" "$tmp/folder" && cd "$tmp/folder" &&
            alone "$@" "${example##*/}" && alone "$tmp/venv/bin/jotter" --pad files:notes read plan || return 1
    done
}
holds the_examples_of_the_readme_run_with_the_wheel shows "$source/README.md" 1 python "$tmp/venv/bin/python" -I
holds the_examples_of_the_python_readme_run_with_the_wheel shows "$source/bindings/python/README.md" 2 python "$tmp/venv/bin/python" -I

untars() {
    tar -xzf "$tmp"/one/*.tar.gz -C "$tmp" && cmp "$tmp"/jotter-*/bin/jotter "$tmp/venv/bin/jotter" && ls "$tmp"/jotter-*/share/man/man1/jotter.1
}
holds the_tar_has_the_same_binary_and_its_manual untars
# npm's package lies in node_modules as it is packed.
cat >"$tmp/use.mjs" <<'NODE'
import * as jotter from "jotter";
import fs from "node:fs";
const pad = await jotter.open(`files:${process.argv[2]}`, { as: "stranger" });
if ((await pad.get("plan")) !== "we ship on monday") throw new Error("it is not what Python wrote");
await pad.write("plan", "we ship on tuesday", { ifVersion: (await pad.read("plan")).version });
if ((await pad.search("shipping"))[0].name !== "plan") throw new Error("it is not found");
await pad.close();
const maps = fs.readFileSync("/proc/self/maps", "latin1");
for (const other of ["jansson", "libyaml", "libutf8proc", "libstemmer", "libjotter"]) if (maps.includes(other)) throw new Error(other);
console.log(maps.includes("/node_modules/jotter/prebuilds/") ? "fine" : maps);
NODE
node_uses() {
    mkdir -p "$tmp/node_modules/jotter" && tar -xzf "$tmp"/one/*.tgz -C "$tmp/node_modules/jotter" --strip-components=1 &&
        cd "$tmp" && env -i PATH="$PATH" HOME="$tmp" node "$tmp/use.mjs" "$tmp/pad" | grep -x fine
}
holds node_uses_the_addon_inside_the_package_and_no_other_library node_uses

node=$(command -v node)
holds the_examples_of_the_readme_run_with_the_npm_package shows "$source/README.md" 1 js "$node"
holds the_examples_of_the_node_readme_run_with_the_npm_package shows "$source/bindings/node/README.md" 2 'js cjs' "$node"

node_command() { [ "$(env -i HOME="$tmp" "$tmp/node_modules/jotter/bin/jotter" --pad "files:$tmp/pad" read plan)" = 'we ship on tuesday' ]; }
holds the_command_of_the_npm_package_reads_what_node_wrote node_command
echo "1..$n"
