"""Each rule of structure.py refuses what it is about, and lets pass what only looks like it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import structure


class Structure(unittest.TestCase):
    def tree(self, files):
        """A workspace of these files; every folder with a `src` is a member."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        members = sorted({name.split("/src/")[0] for name in files if "/src/" in name and not name.startswith("web/")})
        (root / "Cargo.toml").write_text(f"[workspace]\nmembers = {members}\n", encoding="utf-8")
        return structure.Tree(root)

    def circles(self, files):
        """The circles of a crate `a` with these files beside each other."""
        crates = self.tree({f"a/src/{name}": text for name, text in files.items()}).crates()
        return [[Path(file).relative_to("a/src").as_posix() for file in circle] for circle in crates[0].circles()]

    def wrong(self, rule, files):
        return list(structure.RULES[rule](self.tree(files)))

    def test_files_that_use_each_other_are_a_circle_however_they_say_it(self):
        for use in [
            "use crate::two::Two;",
            "use super::two::Two;",
            "use crate::{two::{Two as Other}};",
            "use super::two::*; fn one(_: Two) {}",
            "use crate::two; fn one(_: two::Two) {}",
            "use crate::two::{self as other}; fn one(_: other::Two) {}",
            "fn one(_: crate::two::Two) {}",
            "fn one() { use super::two::Two; }",
            "mod inner { use super::super::two::Two; }",
            "pub use crate::two::Two; fn one(_: Two) {}",
            "const A: char = '\"'; use crate::two::Two; const B: char = '\"';",
            'const QUOTED: &str = r#"a " b"#; use crate::two::Two;',
        ]:
            files = {
                "lib.rs": "mod one; mod two;",
                "one.rs": f"pub struct One;\n{use}",
                "two.rs": "use crate::one::One;\npub struct Two(One);",
            }
            self.assertEqual(self.circles(files), [["one.rs", "two.rs"]], use)

    def test_what_is_no_use_makes_no_circle(self):
        for text in [
            "// use crate::two::Two;",
            'const TEXT: &str = "crate::two::Two";',
            "#[cfg(test)]\nmod tests { use crate::two::Two; }",
            "#[cfg(test)]\nuse crate::two::Two;",
            "pub use crate::two::Two;",
            "use crate::two;",
        ]:
            files = {
                "lib.rs": "mod one; mod two;",
                "one.rs": f"pub struct One;\n{text}",
                "two.rs": "use crate::one::One;\npub struct Two(One);",
            }
            self.assertEqual(self.circles(files), [], text)

    def test_a_path_that_begins_outside_the_crate_is_no_module(self):
        files = {
            "lib.rs": "mod one; mod two;",
            "one.rs": "use crate::two::Two;\npub struct One;",
            "two.rs": "use crate::one::One; pub struct Two;",
        }
        self.assertEqual(self.circles(files), [["one.rs", "two.rs"]])
        files["one.rs"] = files["one.rs"].replace("use crate::two", "use ::two")
        self.assertEqual(self.circles(files), [])

    def test_a_circle_of_three_files_is_found_as_one(self):
        files = {
            "lib.rs": "mod one; mod two; mod three;",
            "one.rs": "use crate::two::Two; pub struct One;",
            "two.rs": "use crate::three::Three; pub struct Two;",
            "three.rs": "use crate::one::One; pub struct Three;",
        }
        self.assertEqual(self.circles(files), [["one.rs", "three.rs", "two.rs"]])

    def test_an_import_of_the_parent_leads_to_what_defines_the_item(self):
        files = {
            "lib.rs": "mod parent;",
            "parent/mod.rs": "mod one; mod two;\npub use one::One;\nimpl X { fn One() {} }\nfn run() { two::run() }",
            "parent/one.rs": "pub struct One;",
            "parent/two.rs": "use super::One; pub fn run() {}",
        }
        self.assertEqual(self.circles(files), [])
        files["parent/one.rs"] = "use super::two::run; pub struct One;"
        self.assertEqual(self.circles(files), [["parent/one.rs", "parent/two.rs"]])
        files["parent/one.rs"] = ""
        files["parent/mod.rs"] = "mod one; mod two;\npub struct One;\nfn run() { two::run() }"
        self.assertEqual(self.circles(files), [], "what the modules around a module define is free to it")
        files["lib.rs"] = "mod parent; mod other;"
        files["other.rs"] = "use crate::parent::One; pub fn run() {}"
        for made in ["struct One;", "id! { One }", "macro_rules! make {\n() => { struct One; } }", "const fn One() {}", "static mut One: A = A;"]:
            files["parent/mod.rs"] = f"mod one; mod two;\n{made}\nfn run() {{ crate::other::run() }}"
            self.assertEqual(self.circles(files), [["other.rs", "parent/mod.rs"]], made)

    def test_an_import_through_a_name_of_its_own_ends(self):
        files = {
            "lib.rs": "mod one;\nuse time::time;\nuse one::*;",
            "one.rs": "pub use super::*;\nuse rand::rand; fn a() { rand::x() }",
        }
        self.assertEqual(self.circles(files), [])

    def test_an_allowed_circle_needs_a_reason_and_a_circle(self):
        files = {
            "a/src/lib.rs": "mod one; mod two;",
            "a/src/one.rs": "use crate::two::Two; pub struct One;",
            "a/src/two.rs": "use crate::one::One; pub struct Two;",
        }
        circle = frozenset(["a/src/one.rs", "a/src/two.rs"])

        def found(allowed):
            return list(structure.circles(self.tree(files), allowed))

        (refused,) = found({})
        self.assertIn("a/src/one.rs uses of a/src/two.rs: crate::two::Two (line 1)", refused)
        self.assertEqual(found({circle: "two halves of one grammar"}), [])
        self.assertEqual(len(found({circle: ""})), 1)
        self.assertEqual(len(found({circle: "why", frozenset(["a/src/lib.rs", "a/src/one.rs"]): "why"})), 1)
        self.assertEqual(len(found({circle: "why", **{frozenset([str(file)]): "why" for file in range(5)}})), 6)

    def test_slices_use_nothing_of_each_other(self):
        for folder in structure.SLICES:
            crate, _, inside = folder.partition("/src/")
            files = {
                f"{crate}/src/lib.rs": f"mod {inside};\nmod shared;",
                f"{crate}/src/shared.rs": "pub fn all() {}",
                f"{folder}/mod.rs": "mod one; mod two; pub fn parents() {}",
                f"{folder}/one/mod.rs": "mod part; use super::parents; use crate::shared::all;",
                f"{folder}/one/part.rs": "use super::super::parents;",
                f"{folder}/two.rs": "pub struct Two;",
            }
            self.assertEqual(self.wrong("slices", files), [], folder)
            files[f"{folder}/one/part.rs"] = "use super::super::two::Two;"
            (refused,) = self.wrong("slices", files)
            self.assertTrue(refused.startswith(f"{folder}/one/part.rs:1: one uses super::super::two::Two of two"), refused)

    def test_a_scope_is_used(self):
        for parameter, refused in [
            ("_scope: &Scope", True),
            ("_: Scope", True),
            ("_scope: &'a vocabulary::Scope", True),
            ("scope: &Scope", False),
            ("_system: &SystemScope", False),
        ]:
            files = {"a/src/lib.rs": f"fn read(pool: &Pool, {parameter}) {{}}"}
            self.assertEqual(len(self.wrong("scopes", files)), refused, parameter)

    def test_errors_are_called_errors(self):
        for text, refused in [
            ("#[derive(Debug, thiserror::Error)]\npub enum Refused {}", True),
            ('#[derive(Error, Debug)]\n#[error("no [{0}]")]\nstruct NoStore;', True),
            ("impl std::error::Error for a::Failed {}", True),
            ("impl<T> Error for Failed<T> {}", True),
            ("#[derive(Debug, thiserror::Error)]\npub(crate) enum StoreError {}", False),
            ("impl std::error::Error for Error {}", False),
            ("#[derive(Debug)]\nenum Refused {}", False),
        ]:
            self.assertEqual(len(self.wrong("errors", {"a/src/lib.rs": text})), refused, text)

    def test_names_that_mean_nothing_alone_are_refused_in_tests_too(self):
        for text, refused in [
            ("impl Row { pub fn of(row: &Row) {} }", True),
            ("#[cfg(test)] mod tests { async fn by() {} }", True),
            ("enum Asked {}", True),
            ("trait A { type Answer; }", True),
            ("fn of_row() {} struct AnswerRow; fn parts() {} // fn of", False),
        ]:
            for file in ["a/src/lib.rs", "a/tests/it/main.rs"]:
                self.assertEqual(len(self.wrong("names", {"a/src/lib.rs": "", file: text})), refused, text)

    def test_one_name_of_a_schema_describes_one_type(self):
        row = "#[derive(Serialize, ToSchema)]\n#[serde(rename_all = \"camelCase\")]\npub(super) struct RowView {}"
        other = "#[derive(ToSchema)]\nenum RowView {}"
        self.assertEqual(len(self.wrong("schemas", {"a/src/lib.rs": row, "a/src/b.rs": other})), 1)
        self.assertEqual(self.wrong("schemas", {"a/src/lib.rs": row, "a/src/b.rs": "#[derive(Serialize)]\nstruct RowView {}"}), [])

    def test_comments_are_counted_word_by_word(self):
        many = "// " + "word " * 98
        for comment, word, refused in [
            ("// It stands here.", "stand", True),
            ("// A standard.", "stand", False),
            ('fn a() { "it stands" }', "stand", False),
            ("/// What it was told.", "tell", True),
            ("/* Once. Who asks waits. */", "who", True),
            ("// Somebody\n// who asks.", "who", False),
            ("// Who asks?", "who", False),
            ("// Anew.", "anew", True),
        ]:
            for file in ["a/src/lib.rs", "web/src/a.tsx"]:
                found = self.wrong("words", {"a/src/lib.rs": "", file: f"{comment}\n\n{many}"})
                self.assertEqual(any(what.startswith(f"comments: '{word}'") for what in found), refused, comment)
        files = {"a/src/lib.rs": "// " + "word " * 25_000 + "stands told"}
        self.assertEqual(self.wrong("words", files), [], "seldom is not too often")

    def test_documentation_of_two_words_is_refused(self):
        for text, refused in [
            ("/// The row.\nstruct Row;", True),
            ("/// A row\n/// here.\nstruct Row;", False),
            ("// The row.\nstruct Row;", False),
        ]:
            self.assertEqual(len(self.wrong("words", {"a/src/lib.rs": text})), refused, text)
        self.assertEqual(len(self.wrong("words", {"a/src/lib.rs": "", "web/src/a.ts": "/** The row. */"})), 1)

    def test_only_the_rules_that_are_asked_for_decide(self):
        root = self.tree({"a/src/lib.rs": "// It stands.\nfn of() {}"}).root

        def run(*options):
            command = [sys.executable, Path(structure.__file__), "--root", root, *options]
            return subprocess.run(command, capture_output=True, text=True, check=False)

        self.assertEqual(run("--circles", "--errors").returncode, 0)
        named = run("--names")
        self.assertEqual(named.returncode, 1)
        self.assertIn("a/src/lib.rs:2: a function called of", named.stderr)
        self.assertNotIn("stand", named.stderr)
        self.assertIn("stand", run().stderr)
        report = run("--report")
        self.assertEqual((report.returncode, report.stderr), (0, ""))
        self.assertRegex(report.stdout, r"(?m)^a +2 +1 500\.00")


if __name__ == "__main__":
    unittest.main()
