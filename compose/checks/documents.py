"""What documents and comments point to is there: cited decisions, named paths, links between pages."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = Path("docs/decisions/README.md")
# Files whose letters and digits are data: locks, generated types, prepared queries, saved pages.
DATA = re.compile(r"(^|/)(Cargo\.lock|package-lock\.json|\.sqlx/|fixtures?/|pages/)|\.(svg|html|json|png|webp)$")

CITED = re.compile(r"\bD\d{1,3}\b")
PAGE = re.compile(r"\bdecision (\d{4})\b|docs/decisions/(\d{4})")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
# A path in code font: several folders, or one file by its ending.
NAMED = re.compile(r"`([.\w*-]+(?:/[.\w*-]+)+/?|[\w.-]+\.(?:rs|ts|tsx|sql|sh|py|md|toml|yml|yaml|txt))`")
# A first folder of this repository: what begins otherwise is an address, a branch, a media type.
FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()}
# Where a page may name a path from, beside its own folder and the root.
BASES = ["api/tests/it", "web", "web/src", "workers/src", "api/src"]


def tracked() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout.decode()
    return [Path(name) for name in names.split("\0") if name and not DATA.search(name) and (ROOT / name).is_file()]


def lines(path: Path):
    try:
        text = (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    return enumerate(text.splitlines(), 1)


def exists(named: str, page: Path) -> bool:
    # A capital X stands for any feature, `*` for any name.
    pattern = re.sub(r"\bX\b", "*", named).rstrip("/")
    for base in [page.parent, Path(), *map(Path, BASES)]:
        if next((ROOT / base).glob(pattern), None) is not None:
            return True
    return "/" not in named and next(ROOT.glob(f"*/**/{pattern}"), None) is not None


def main() -> int:
    explained = set(re.findall(r"\*\*(D\d{1,3})\*\*", (ROOT / DECISIONS).read_text(encoding="utf-8")))
    pages = {path.name[:4] for path in (ROOT / "docs/decisions").glob("[0-9]*.md")}
    wrong, cited = [], 0
    for path in tracked():
        for number, line in lines(path):
            place = f"{path}:{number}"
            for decision in CITED.findall(line):
                cited += 1
                if decision not in explained:
                    wrong.append(f"{place}: {decision} is not in {DECISIONS}")
            for found in PAGE.findall(line):
                if "".join(found) not in pages:
                    wrong.append(f"{place}: no page docs/decisions/{''.join(found)}")
            if path.suffix != ".md":
                continue
            for link in LINK.findall(line):
                if "://" not in link and not (ROOT / path.parent / link).exists():
                    wrong.append(f"{place}: the link {link} leads nowhere")
            for named in NAMED.findall(line):
                parts = named.split("/")
                in_repository = len(parts) == 1 or parts[0] in FOLDERS or "src" in parts or "tests" in parts
                if in_repository and not exists(named, path):
                    wrong.append(f"{place}: there is no {named}")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"documents: {cited} citations of {len(explained)} decisions, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
