"""What is refused of dependencies."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import dependencies

NODES = {"a": {"b"}, "b": {"c"}, "c": set(), "t": set()}


def package(name, **more):
    return {"id": name, "name": name, "version": "1.0.0", "publish": None, "license": "MIT", "source": dependencies.CRATES_IO} | more


class Dependencies(unittest.TestCase):
    def test_reads_expressions_of_licences(self):
        for expression, is_fulfilled in [
            ("MIT", True),
            ("GPL-3.0-only", False),
            ("MIT/Apache-2.0", True),
            ("GPL-3.0-only OR MIT", True),
            ("GPL-3.0-only AND MIT", False),
            ("MIT AND (GPL-3.0-only OR ISC)", True),
            ("(MIT OR GPL-3.0-only) AND GPL-3.0-only", False),
            ("GPL-3.0-only OR MIT AND GPL-3.0-only", False),
            ("Apache-2.0 WITH LLVM-exception", True),
            ("Apache-2.0 WITH Classpath-exception-2.0", False),
        ]:
            allowed = {"MIT", "ISC", "Apache-2.0 WITH LLVM-exception"}
            self.assertEqual(dependencies.fulfils(expression, allowed), is_fulfilled, expression)

    def test_finds_the_names_of_crates(self):
        for code, is_used in [
            ("use serde::Deserialize;", True),
            ("let x = serde::de::from();", True),
            ("use serde as other;", True),
            ("use serde_json::Value;", False),
            ("// of serde", False),
            ("my_serde::x()", False),
        ]:
            self.assertEqual(dependencies.is_used("serde", code), is_used, code)

    def test_refuses_users_that_are_not_named(self):
        packages = [package(name) for name in "abc"]
        for bans, faults in [
            ([{"crate": "c", "wrappers": ["b"]}], []),
            ([{"crate": "c", "wrappers": ["a"]}], ["b may not use c"]),
            ([{"crate": "z"}], []),
            ([{"crate": "a"}], ["a may not be used; used by []"]),
        ]:
            self.assertEqual(list(dependencies.faults_of_bans(bans, packages, NODES)), faults, bans)

    def test_leaves_out_what_tests_need(self):
        kinds = {"b": [None], "c": ["dev"], "t": ["dev", "build"]}
        used = [{"pkg": name, "dep_kinds": [{"kind": kind} for kind in of]} for name, of in kinds.items()]
        metadata = {"resolve": {"nodes": [{"id": "a", "deps": used}]}}
        self.assertEqual(dependencies.needs(metadata), {"a": {"b", "t"}})
        self.assertEqual(dependencies.reached(["a"], NODES), {"a", "b", "c"})

    def test_refuses_licences_and_sources(self):
        rules = {"allow": ["MIT"], "exceptions": [{"crate": "b", "allow": ["ISC"]}], "clarify": [{"crate": "e", "expression": "MIT"}]}
        licences = [
            package("a", license="ISC"),
            package("b", license="ISC"),
            package("c", license=None),
            package("d", license=None, publish=[]),
            package("e", license=None),
        ]
        found = [fault.split()[0] for fault in dependencies.faults_of_licences(rules, licences)]
        self.assertEqual(found, ["a", "c"])
        sources = [
            package("a"),
            package("b", source="git+https://example.com/b"),
            package("c", source=None, manifest_path=str(dependencies.ROOT / "c/Cargo.toml")),
            package("d", source=None, manifest_path="/elsewhere/d/Cargo.toml"),
        ]
        found = [fault.split()[0] for fault in dependencies.faults_of_sources(sources)]
        self.assertEqual(found, ["b", "d"])


if __name__ == "__main__":
    unittest.main()
