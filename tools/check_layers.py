#!/usr/bin/env python3
"""Checks every #include "sinew/..." against layers.toml, the names of types, and the length of files and functions.

Modules, `apps`, `studio` and `bench` may include what their line of layers.toml names. Files that have grown too long and
functions of more than 60 lines are warned about; a function of more than 120 lines is an error. `--all` also lists the
warnings about functions one by one. Two headers may not define types of one name in one namespace: where both meet in a program,
the linker keeps either's functions for both.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"((?:sinew|studio|bench|cli)/[a-z0-9_]+(?=[/.]))', re.M)
FILE_LIMITS = {".h": 400, ".cpp": 1000}
LONG_FUNCTION, TOO_LONG_FUNCTION = 60, 120
TYPE = re.compile(r"^namespace ([\w:]+) \{|^(?:struct|class) (\w+)(?: final)?(?: : [^{;]*)? \{", re.M)
DOORS = {"apps": "apps", "studio": "studio/server", "bench": "bench"}


def read_layers():
    """Module or door -> what it may include."""
    layers = {}
    for line in (ROOT / "layers.toml").read_text().splitlines():
        match = re.match(r"^(?:doors\.)?([a-z]+)\s*=\s*\[(.*)\]", line)
        if match:
            layers[match[1]] = set(re.findall(r'"([a-z]+)"', match[2])) | {"base", match[1]}
    return layers


def code_only(text):
    """The text with comments, strings and preprocessor lines blanked out; line breaks stay."""
    blank = lambda match: re.sub(r"[^\n]", " ", match[0])
    pattern = (r'R"([^(\s]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"' r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'"
               r"|^[ \t]*#(?:\\\n|[^\n])*")
    return re.sub(pattern, blank, text, flags=re.S | re.M)


def functions(text):
    """(name, first line, number of lines) of every function body at namespace or class level; lambdas count with the function
    that they stand in."""
    code = code_only(text)
    found, inside = [], []  # open braces: "scope" (namespace, class), "function" or "block"
    start = 0  # of what stands before the next brace
    for i, character in enumerate(code):
        if character == "{":
            head = code[start:i].strip()
            opens = "block"
            if "function" not in inside and "block" not in inside:
                if re.search(r"(^|[\s>])(namespace|class|struct|union|enum|extern)\b(?![^{]*\)\s*(const)?$)", head) or not head:
                    opens = "scope"
                elif head.endswith(("=", ",", "(", "return")) or "(" not in head:
                    opens = "block"
                else:
                    opens = "function"
                    line = code.count("\n", 0, start + len(code[start:i]) - len(code[start:i].lstrip())) + 1
                    name = re.search(r"([~\w:]+|operator\S+)\s*\(", head)
                    found.append([name[1] if name else head[:40], line, None])
            inside.append(opens)
            start = i + 1
        elif character == "}":
            if inside and inside.pop() == "function":
                found[-1][2] = code.count("\n", 0, i) + 1 - found[-1][1] + 1
            start = i + 1
        elif character == ";":
            start = i + 1
    return [tuple(entry) for entry in found if entry[2] is not None]


def types(text):
    """Namespace and name of every type that stands at the left margin."""
    namespace = ""
    for match in TYPE.finditer(code_only(text)):
        if match[1]:
            namespace = match[1]
        else:
            yield f"{namespace}::{match[2]}"


def main():
    layers = read_layers()
    errors, long_functions, header_of = [], [], {}
    rooms = [(path.name, path) for path in sorted((ROOT / "src/sinew").iterdir()) if path.is_dir()]
    rooms += [(door, ROOT / folder) for door, folder in DOORS.items()]
    for room, folder in rooms:
        if room not in layers:
            errors.append(f"{folder.relative_to(ROOT)}: not in layers.toml")
            continue
        for path in sorted(folder.rglob("*.[hc]*")):
            text, name = path.read_text(), path.relative_to(ROOT)
            for used in INCLUDE.findall(text):
                root, _, part = used.partition("/")
                used_room = part if root == "sinew" else "apps" if root == "cli" else root
                if used_room not in layers[room]:
                    errors.append(f"{name}: {room} may not include {used_room}")
            for type_name in types(text) if path.suffix == ".h" else ():
                other = header_of.setdefault(type_name, name)
                if other != name:
                    errors.append(f"{name}: {type_name} is a type of {other} too")
            if text.count("\n") > FILE_LIMITS.get(path.suffix, 1 << 30):
                print(f"warning: {name} has {text.count(chr(10))} lines")
            for function, line, length in functions(text):
                if length > TOO_LONG_FUNCTION:
                    errors.append(f"{name}:{line}: {function} has {length} lines, {TOO_LONG_FUNCTION} are the most")
                elif length > LONG_FUNCTION:
                    long_functions.append(f"warning: {name}:{line}: {function} has {length} lines")
    if "--all" in sys.argv:
        print("\n".join(long_functions))
    elif long_functions:
        print(f"warning: {len(long_functions)} functions have more than {LONG_FUNCTION} lines (--all lists them)")
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
