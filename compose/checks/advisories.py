#!/usr/bin/env python3
"""Known weaknesses of the crates in Cargo.lock.

    advisories.py [--database FOLDER] [--write]

FOLDER is a copy of https://github.com/RustSec/advisory-db: crates/NAME/RUSTSEC-*.md. By default it is where VIGIE_ADVISORIES says, or
advisory-db in the cache. With a copy every advisory that applies must stand in advisories.toml with the reason why it does no harm, and
nothing else may. Without one that file is all that is known, and how old it is. --write sets its date to that of the copy.
"""

import argparse
import datetime
import hashlib
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SNAPSHOT = ROOT / "compose/checks/advisories.toml"
# Older knowledge is told, and does not stop anybody: a copy is not to be had everywhere.
STALE = datetime.timedelta(days=60)
FRONT = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMPARISON = re.compile(r"(>=|<=|>|<|=|\^|~)?\s*([0-9][0-9A-Za-z.+-]*|\*)")


@dataclass(frozen=True)
class Advisory:
    id: str
    package: str
    kind: str
    published: datetime.date
    safe: tuple[str, ...]


def key(text):
    """Orders versions as Cargo does: a version before its release is older than the release."""
    core, _, before = text.partition("+")[0].partition("-")
    numbers = [int(part) for part in core.split(".")]
    identifiers = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in before.split(".") if part]
    return (numbers + [0, 0, 0])[:3], not before, identifiers


def next_above(text, tilde):
    """The first version that `^text` or `~text` does not mean."""
    numbers = [int(part) for part in text.partition("-")[0].split(".")]
    if tilde:
        kept = min(len(numbers), 2)
    else:
        kept = next((at + 1 for at, number in enumerate(numbers) if number), len(numbers))
    raised = numbers[: kept - 1] + [numbers[kept - 1] + 1]
    return ".".join(map(str, raised))


def is_meant(version, requirement):
    """Whether a version fulfils every part of a requirement as `>= 1.2, < 2`."""
    this = key(version)
    for part in requirement.split(","):
        found = COMPARISON.fullmatch(part.strip())
        if not found:
            raise ValueError(f"'{part.strip()}' is no comparison of versions")
        sign, other = found.group(1) or "^", found.group(2)
        if other == "*":
            continue
        bound = key(other)
        fulfilled = {
            ">=": this >= bound,
            ">": this > bound,
            "<=": this <= bound,
            "<": this < bound,
            "=": this == bound,
            "^": this >= bound and this < key(next_above(other, False)) if sign == "^" else False,
            "~": this >= bound and this < key(next_above(other, True)) if sign == "~" else False,
        }[sign]
        if not fulfilled:
            return False
    return True


def read(database):
    """The advisories of a copy that were not withdrawn."""
    for path in sorted((database / "crates").glob("*/RUSTSEC-*.md")):
        front = FRONT.search(path.read_text(encoding="utf-8"))
        if not front:
            raise ValueError(f"{path} has no front matter")
        content = tomllib.loads(front.group(1))
        told, versions = content["advisory"], content.get("versions", {})
        if "withdrawn" in told:
            continue
        yield Advisory(
            id=told["id"],
            package=told["package"],
            kind=told.get("informational", "vulnerability"),
            published=datetime.date.fromisoformat(str(told["date"])),
            safe=tuple(versions.get("patched", []) + versions.get("unaffected", [])),
        )


def locked(lock):
    """Name and version of every crate that is downloaded."""
    packages = tomllib.loads(lock.read_text(encoding="utf-8"))["package"]
    return sorted((package["name"], package["version"]) for package in packages if "source" in package)


def applying(advisories, packages):
    """What applies, as (id, name, version, kind)."""
    versions = {}
    for name, version in packages:
        versions.setdefault(name, []).append(version)
    found = set()
    for advisory in advisories:
        for version in versions.get(advisory.package, []):
            if not any(is_meant(version, safe) for safe in advisory.safe):
                found.add((advisory.id, advisory.package, version, advisory.kind))
    return sorted(found)


def digest(packages):
    return hashlib.sha256("\n".join(f"{name} {version}" for name, version in packages).encode()).hexdigest()


def where(asked):
    """The folder of the copy, if there is one."""
    if asked or os.environ.get("VIGIE_ADVISORIES"):
        return Path(asked or os.environ["VIGIE_ADVISORIES"])
    cached = Path(os.environ.get("VIGIE_CACHE", "/nowhere")) / "advisory-db"
    return cached if cached.is_dir() else None


def differences(found, accepted):
    """What is wrong between what applies and what stands in the file with a reason."""
    for id, name, version, kind in found:
        if not accepted.get(id, "").strip():
            yield f"{id} applies to {name} {version} ({kind}): update it, or say in advisories.toml why it does no harm"
    for id in sorted(set(accepted) - {found_id for found_id, *_ in found}):
        yield f"{id} does not apply any more: take it out of advisories.toml"


def written(text, as_of, crates):
    text = re.sub(r"(?m)^as_of = .*$", f"as_of = {as_of}", text)
    return re.sub(r"(?m)^crates = .*$", f'crates = "{crates}"', text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--database")
    options.add_argument("--write", action="store_true")
    asked = options.parse_args()

    packages = locked(ROOT / "Cargo.lock")
    text = SNAPSHOT.read_text(encoding="utf-8")
    snapshot = tomllib.loads(text)
    database = where(asked.database)
    if database:
        advisories = list(read(database))
        if not advisories:
            sys.exit(f"{database} has no crates/NAME/RUSTSEC-*.md")
        wrong = list(differences(applying(advisories, packages), snapshot["accepted"]))
        if wrong:
            sys.exit("\n".join(wrong))
        as_of = max(advisory.published for advisory in advisories)
        if asked.write:
            SNAPSHOT.write_text(written(text, as_of, digest(packages)), encoding="utf-8")
    else:
        as_of = snapshot["as_of"]
        if snapshot["crates"] != digest(packages):
            print("warning: Cargo.lock is not the one that was compared; see compose/checks/advisories.py", file=sys.stderr)
    age = datetime.date.today() - as_of
    if age > STALE:
        print(f"warning: what is known of advisories is {age.days} days old; fetch a newer copy", file=sys.stderr)
    print(f"advisories: {len(packages)} crates, as of {as_of}; accepted with a reason: {len(snapshot['accepted'])}")


if __name__ == "__main__":
    main()
