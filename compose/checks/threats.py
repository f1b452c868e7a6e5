#!/usr/bin/env python3
"""Every threat of docs/SECURITY-MODEL.md has a control and a proof, and every proof that it names is there."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
MODEL = "docs/SECURITY-MODEL.md"
THREATS = [f"T{number}" for number in range(1, 40)]
# `file::test`, `file::*` for all of a file, `file::beginning…` and `…a_test_of_the_file_before`.
NAMED = re.compile(r"`(?:(\w+)::|…)(\*|\w+)(…?)`")
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+)`")
FOLDERS = ["analytics", "api", "capture", "compose", "libs", "schedules", "sql", "tools", "workers"]


def sources():
    """The tests of each file, by the name of its module."""
    tests = {}
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.rs"):
            text = path.read_text(encoding="utf-8")
            found = re.findall(r"#\[(?:tokio::)?test[^\]]*\](?:\s*#\[[^\]]*\])*\s*(?:async )?fn (\w+)", text)
            found += re.findall(r"#!?\[proptest\][\s\S]*?fn (\w+)", text) + re.findall(r"proptest! \{[\s\S]*?fn (\w+)", text)
            module = path.parent.name if path.stem in {"mod", "tests"} else path.stem
            tests.setdefault(module, set()).update(found)
    return tests


def wrong():
    text, tests, seen = (ROOT / MODEL).read_text(encoding="utf-8"), sources(), set()
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 4 and cells[0] in THREATS:
            threat, _, control, proof = cells
            seen.add(threat)
            proves = NAMED.search(proof) or PATH.search(proof) or "`make lint`" in proof
            if not control or not proves:
                yield f"{threat} has no control, or no proof of it"
        module = None
        for found in NAMED.finditer(line):
            module = found.group(1) or module
            name, is_beginning = found.group(2), bool(found.group(3))
            of_module = tests.get(module, set())
            if name == "*":
                is_there = bool(of_module)
            else:
                is_there = any(test == name or (is_beginning and test.startswith(name)) for test in of_module)
            if not is_there:
                yield f"there is no test {module}::{name}"
        for path in PATH.findall(line):
            if not (ROOT / path).exists():
                yield f"there is no {path}"
    for threat in THREATS:
        if threat not in seen:
            yield f"{threat} is not in {MODEL}"


def main():
    found = list(wrong())
    print("\n".join(f"{MODEL}: {what}" for what in found), file=sys.stderr, end="\n" if found else "")
    print(f"threats: {len(THREATS)}, {len(found)} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
