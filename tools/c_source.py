# c_source.py: the functions of a C file, as tools/measure and tools/check-functions see them.
#
# It is no parser: it relies on clang-format's layout, in which a definition begins at the start of a
# line, its braces stand alone at the start of theirs, and nothing else does.
import collections
import os
import re
import subprocess
from dataclasses import dataclass

HEAD = re.compile(r"^(?P<type>[A-Za-z_][\w \t\n*()]*?[\s*])(?P<name>[A-Za-z_]\w*)\((?P<rest>.*)$", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Function:
    name: str
    line: int      # of its name, counted from 1
    lines: int     # of its body, without the braces
    parameters: int
    static: bool


def sources(*patterns):
    here = os.path.dirname(os.path.abspath(__file__))
    return subprocess.run([f"{here}/sources", *patterns], check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def blank(text, strings=True):
    """The text with its comments (and what its strings hold) replaced by spaces: all lines stay."""
    def space(match):
        found = match.group(0)
        if found[0] == "/":
            return re.sub(r"[^\n]", " ", found)
        return found[0] + re.sub(r"[^\n]", " ", found[1:-1]) + found[-1] if strings else found
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', space, text, flags=re.DOTALL)


def count_parameters(rest):
    """How many parameters begin `rest`, which is what follows the opening parenthesis."""
    depth, n, some = 0, 1, ""
    for char in rest:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif char == "," and depth == 0:
            n += 1
        some += char
    return 0 if some.strip() in ("", "void") else n


def definitions(code):
    """The functions that are defined in `code`, which is blanked."""
    lines = code.split("\n")
    for at, line in enumerate(lines):
        if line != "{" or at == 0:
            continue
        begin = at - 1
        while begin > 0 and lines[begin - 1].strip() and not re.match(r"[#}/]|.*[;{}]\s*$", lines[begin - 1]):
            begin -= 1
        head = HEAD.match("\n".join(lines[begin:at]))
        if not head:
            continue
        end = next((i for i in range(at, len(lines)) if lines[i] == "}"), len(lines))
        yield Function(head["name"], begin + 1, end - at - 1, count_parameters(head["rest"]),
                       bool(re.search(r"\bstatic\b", head["type"])))


def declarations(code):
    """(name, parameters, line) of the functions that are declared at the top level of `code`, which is blanked."""
    code = re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda found: re.sub(r"[^\n]", " ", found.group(0)), code, flags=re.MULTILINE)
    for found in re.finditer(r"^(?!typedef|static|struct \w+ \{)(?P<type>[A-Za-z_][\w \t*]*?[\s*])(?P<name>[A-Za-z_]\w*)"
                             r"\((?P<rest>[^;{]*);", code, flags=re.MULTILINE):
        yield found["name"], count_parameters(found["rest"]), code.count("\n", 0, found.start()) + 1


@dataclass
class Astray:
    path: str      # of the definition
    name: str
    header: str    # that declares it
    line: int


def belongs(header, path):
    """Whether a function of the file `path` may be declared in `header`: x.h and x_internal.h speak for x.c and x_*.c."""
    if header == "include/jotter.h":
        return path.startswith("src/api/")
    there, stem = os.path.split(header[:-len(".h")])
    here, name = os.path.split(path[:-len(".c")])
    family = stem.removesuffix("_internal")
    return there == here and (name == family or name.startswith(family + "_"))


def sections(text):
    """For each line of a header the file that its section names, as in `/* --- Names (name.c) ---`, or None."""
    named = None
    for line in text.split("\n"):
        title = re.match(r"/\* --- (.*?) -+", line)
        if title:
            found = re.search(r"\b(\w+\.c)\b", title.group(1))
            named = found.group(1) if found else None
        yield named


def astray():
    """The functions of src that are declared neither in their file's header nor, in another one beside it, in a
    section that names their file."""
    defined = collections.defaultdict(list)
    for path in sources("src/*.c"):
        for function in definitions(blank(open(path, encoding="utf-8").read())):
            if not function.static:
                defined[function.name].append(path)
    for header in sources("src/*.h", "include/jotter.h"):
        text = open(header, encoding="utf-8").read()
        named = list(sections(text))
        for name, _, line in declarations(blank(text)):
            for path in defined[name]:
                if not belongs(header, path) and os.path.split(path) != (os.path.dirname(header), named[line - 1]):
                    yield Astray(path, name, header, line)
