#!/usr/bin/env python3
"""What depends on what: who may use which crate, licences and sources as deny.toml has them, and that nothing is named which nobody uses.

cargo-deny reads the same file. It says the same of bans, licences and sources, and takes minutes to build on a machine that lacks it.
"""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def fulfils(expression, allowed):
    """Whether an SPDX expression leaves a way that takes allowed licences alone. `/` is the old spelling of OR."""
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def one():
        word = words.pop(0)
        if word == "(":
            value = any_of()
            words.pop(0)
            return value
        if words[:1] == ["WITH"]:
            word = f"{word} WITH {words[1]}"
            del words[:2]
        return word in allowed

    def parts(part, operator):
        values = [part()]
        while words[:1] == [operator]:
            words.pop(0)
            values.append(part())
        return values

    def all_of():
        return all(parts(one, "AND"))

    def any_of():
        return any(parts(all_of, "OR"))

    return any_of()


def is_used(name, code):
    """Whether code names a crate, spelled as in Rust."""
    return re.search(rf"\b{name}::|\b(?:use|extern crate) {name}\b", code) is not None


def needs(metadata):
    """What each package needs to run and to be built, by id. What its tests need is left out."""
    return {
        node["id"]: {used["pkg"] for used in node["deps"] if any(kind["kind"] != "dev" for kind in used["dep_kinds"])}
        for node in metadata["resolve"]["nodes"]
    }


def reached(members, needed):
    """The packages that members need, and what those need in turn, with the members themselves."""
    found, left = set(), list(members)
    while left:
        package = left.pop()
        if package not in found:
            found.add(package)
            left.extend(needed[package])
    return found


def faults_of_bans(bans, packages, needed):
    names = {package["id"]: package["name"] for package in packages}
    for ban in bans:
        users = {names[user] for user in names for used in needed[user] if names[used] == ban["crate"]}
        # Without users of its own a crate may not be there at all.
        if not ban.get("wrappers") and ban["crate"] in names.values():
            yield f"{ban['crate']} may not be used; used by {sorted(users)}"
        for user in sorted(users - set(ban.get("wrappers", []))):
            yield f"{user} may not use {ban['crate']}"


def faults_of_licences(rules, packages):
    exceptions = {exception["crate"]: exception["allow"] for exception in rules["exceptions"]}
    clarified = {clarify["crate"]: clarify["expression"] for clarify in rules["clarify"]}
    for package in packages:
        # A package that may be published nowhere is ours.
        if package["publish"] == []:
            continue
        allowed = {*rules["allow"], *exceptions.get(package["name"], [])}
        licence = clarified.get(package["name"], package["license"])
        if not licence or not fulfils(licence, allowed):
            yield f"{package['name']} {package['version']} has the licence {licence}"


def faults_of_sources(packages):
    for package in packages:
        is_here = package["source"] is None and Path(package["manifest_path"]).is_relative_to(ROOT)
        if not is_here and package["source"] != CRATES_IO:
            yield f"{package['name']} comes from {package['source'] or package['manifest_path']}"


def faults_of_members(members, workspace):
    named = set()
    for package in members:
        folder = Path(package["manifest_path"]).parent
        manifest = tomllib.loads((folder / "Cargo.toml").read_text())
        tables = [manifest.get(table, {}) for table in ("dependencies", "dev-dependencies", "build-dependencies")]
        tables += [table for target in manifest.get("target", {}).values() for table in target.values()]
        named |= {name for table in tables for name in table}
        code = "\n".join(file.read_text() for file in folder.rglob("*.rs"))
        for needed in package["dependencies"]:
            name = needed["rename"] or needed["name"]
            if not is_used(name.replace("-", "_"), code):
                yield f"{package['name']} does not use {name}"
            if needed["req"] == "*" and not needed.get("path"):
                yield f"{package['name']} takes any version of {name}"
    for name in sorted(workspace - named):
        yield f"no crate uses {name} of the workspace"


def main():
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    rules = tomllib.loads((ROOT / "deny.toml").read_text())
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["dependencies"]
    needed = needs(metadata)
    members = set(metadata["workspace_members"])
    there = reached(members, needed)
    packages = [package for package in metadata["packages"] if package["id"] in there]
    faults = [
        *faults_of_bans(rules["bans"]["deny"], packages, needed),
        *faults_of_licences(rules["licenses"], packages),
        *faults_of_sources(metadata["packages"]),
        *faults_of_members([package for package in packages if package["id"] in members], set(workspace)),
    ]
    for fault in faults:
        print(f"dependencies: {fault}", file=sys.stderr)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
