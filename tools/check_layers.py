#!/usr/bin/env python3
"""Checks every #include "sinew/..." against layers.toml, and warns about files that have grown too long."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+"sinew/([a-z0-9_]+)/', re.M)
LIMITS = {".h": 400, ".cpp": 1000}


def read_layers():
    layers = {}
    for line in (ROOT / "layers.toml").read_text().splitlines():
        match = re.match(r"^([a-z]+)\s*=\s*\[(.*)\]", line)
        if match:
            layers[match[1]] = set(re.findall(r'"([a-z]+)"', match[2])) | {"base", match[1]}
    return layers


def main():
    layers = read_layers()
    errors = []
    for module in sorted(p for p in (ROOT / "src/sinew").iterdir() if p.is_dir()):
        if module.name not in layers:
            errors.append(f"src/sinew/{module.name}: not in layers.toml")
            continue
        for path in sorted(module.rglob("*.[hc]*")):
            text = path.read_text()
            for used in INCLUDE.findall(text):
                if used not in layers[module.name]:
                    errors.append(f"{path.relative_to(ROOT)}: {module.name} may not include {used}")
            if text.count("\n") > LIMITS.get(path.suffix, 1 << 30):
                print(f"warning: {path.relative_to(ROOT)} has {text.count(chr(10))} lines")
    for error in errors:
        print(error)
    sys.exit(1 if errors else 0)


main()
