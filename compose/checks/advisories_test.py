"""What is told of advisories, and when it stops somebody."""

import datetime
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import advisories

OF_HYPER = """```toml
[advisory]
id = "RUSTSEC-2021-0078"
package = "hyper"
date = "2021-07-07"
{more}
[versions]
patched = [">= 0.14.10"]
unaffected = ["< 0.5"]
```

# A title
"""


class Advisories(unittest.TestCase):
    def database(self, more=""):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        crate = Path(folder.name) / "crates/hyper"
        crate.mkdir(parents=True)
        (crate / "RUSTSEC-2021-0078.md").write_text(OF_HYPER.format(more=more), encoding="utf-8")
        return Path(folder.name)

    def applying(self, version, more=""):
        return advisories.applying(advisories.read(self.database(more)), [("hyper", version)])

    def test_versions_are_compared_as_cargo_compares_them(self):
        for version, requirement, expected in [
            ("1.2.3", "^1.2", True),
            ("2.0.0", "^1.2", False),
            ("0.14.9", "0.14.10", False),
            ("0.15.0", "^0.14.10", False),
            ("0.0.4", "^0.0.3", False),
            ("1.2.9", "~1.2.3", True),
            ("1.3.0", "~1.2.3", False),
            ("1.9.0", "~1", True),
            ("1.0.0-rc.2", ">= 1.0.0", False),
            ("1.0.0-rc.10", "> 1.0.0-rc.9", True),
            ("1.0.0+build", "= 1.0.0", True),
            ("1.5.0", ">= 1.2, < 1.5", False),
            ("0.1.0", "*", True),
        ]:
            self.assertEqual(advisories.is_meant(version, requirement), expected, f"{version} {requirement}")
        with self.assertRaises(ValueError):
            advisories.is_meant("1.0.0", "the last one")

    def test_an_advisory_applies_to_versions_that_are_neither_patched_nor_unaffected(self):
        found = ("RUSTSEC-2021-0078", "hyper", "0.14.9", "vulnerability")
        self.assertEqual(self.applying("0.14.9"), [found])
        for safe in ["0.14.10", "1.12.0", "0.4.9"]:
            self.assertEqual(self.applying(safe), [])
        self.assertEqual(self.applying("0.14.9", 'withdrawn = "2022-01-01"'), [])
        self.assertEqual(self.applying("0.14.9", 'informational = "unsound"')[0][3], "unsound")

    def test_what_applies_needs_a_reason_and_what_does_not_has_none(self):
        found = self.applying("0.14.9")
        self.assertEqual(list(advisories.differences(found, {"RUSTSEC-2021-0078": "it is not asked"})), [])
        self.assertEqual(len(list(advisories.differences(found, {}))), 1)
        self.assertEqual(len(list(advisories.differences(found, {"RUSTSEC-2021-0078": " "}))), 1)
        self.assertEqual(len(list(advisories.differences([], {"RUSTSEC-2021-0078": "it is not asked"}))), 1)

    def test_old_knowledge_warns_and_stops_nobody(self):
        program = Path(advisories.__file__)
        run = subprocess.run(
            [sys.executable, program, "--database", self.database()],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "VIGIE_ADVISORIES": ""},
        )
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("days old", run.stderr)
        empty = subprocess.run([sys.executable, program, "--database", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertNotEqual(empty.returncode, 0)

    def test_the_file_keeps_its_reasons_when_its_date_changes(self):
        text = 'as_of = 2020-01-01\ncrates = ""\n[accepted]\nRUSTSEC-1 = "why"\n'
        day = datetime.date(2026, 1, 2)
        self.assertEqual(
            advisories.written(text, day, "ab"), 'as_of = 2026-01-02\ncrates = "ab"\n[accepted]\nRUSTSEC-1 = "why"\n'
        )


if __name__ == "__main__":
    unittest.main()
