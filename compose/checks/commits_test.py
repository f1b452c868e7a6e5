"""Which messages of commits are refused, before they are made and after."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKS = Path(__file__).resolve().parent
HOOK = CHECKS.parent / "hooks/commit-msg"
GIVEN = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
AUTHOR = ["-c", "user.name=A", "-c", "user.email=a@example.com"]


class Commits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        # A hook's own git would be asked otherwise, where this test runs within one.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | GIVEN
        self.git("init", "--quiet")

    def run_here(self, *command):
        return subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False)

    def git(self, *arguments):
        run = self.run_here("git", *AUTHOR, *arguments)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout.strip()

    def commit(self, message):
        self.git("commit", "--quiet", "--allow-empty", "--message", message)

    MESSAGES = [
        ("Show the day", True),
        ("Show the day\n\nIt was the night.\nAlways.", True),
        ("é" * 72, True),
        ("x" * 73, False),
        ("Show the day.", False),
        ("Show the day\nand the night", False),
    ]

    def test_the_hook_checks_a_message_that_is_about_to_be_committed(self):
        (self.root / "compose").symlink_to(CHECKS.parent)
        for message, is_good in [*self.MESSAGES, ("\n# a comment\nShow the day\n# another.\n", True), ("# a comment", False)]:
            (self.root / "message").write_text(message, encoding="utf-8")
            run = self.run_here(HOOK, "message")
            self.assertEqual(run.returncode == 0, is_good, f"{message}: {run.stderr}")

    def test_commits_after_the_first_are_checked(self):
        self.commit("Begin.")
        first = self.git("rev-parse", "HEAD")
        check = self.root / "compose/checks/commits.sh"
        check.parent.mkdir(parents=True)
        text = (CHECKS / "commits.sh").read_text(encoding="utf-8")
        written = "\n".join(f"FIRST={first}" if line.startswith("FIRST=") else line for line in text.splitlines())
        check.write_text(written, encoding="utf-8")
        for message, is_good in self.MESSAGES:
            self.commit("Go on")
            self.commit(message)
            self.commit("Go on")
            run = self.run_here("bash", check)
            self.assertEqual(run.returncode == 0, is_good, f"{message}: {run.stderr}")
            self.assertIn("commits: 3 messages", run.stdout)
            self.git("reset", "--quiet", "--hard", first)
        check.parent.mkdir(parents=True, exist_ok=True)
        check.write_text(text, encoding="utf-8")
        elsewhere = self.run_here("bash", check)
        self.assertEqual(elsewhere.returncode, 0, elsewhere.stderr)
        self.assertIn("nothing is checked", elsewhere.stdout)


if __name__ == "__main__":
    unittest.main()
