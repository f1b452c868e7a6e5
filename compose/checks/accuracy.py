#!/usr/bin/env python3
"""Compares a score of the reader with what is demanded of it: accuracy.py READ.jsonl SCORE.txt FOLDER

READ.jsonl is what `vigie read-page` printed of the pages of FOLDER, SCORE.txt what FOLDER/score.py said of it. Prints one line for each
target and ends with 1 if any is missed.

A recorded merchant may be the name written several times over ('ShopShopSh...'): some pages hold a name in several lengths of which a
browser shows one, and the record has the text of all. Where the reader gives the name once, the ad counts as right, and the line says how
many there are.
"""
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

# What is scored, the least share, and the lines of the score that are added up: (engine, kind) pairs.
BOTH = ("google", "bing")
SHARES = [
    ("Google text recall", 0.99, "recall", [("google", "text")]),
    ("Google text precision", 0.99, "precision", [("google", "text")]),
    ("Google shopping recall", 0.98, "recall", [("google", "shopping")]),
    ("Google shopping precision", 0.98, "precision", [("google", "shopping")]),
    ("Bing recall", 1.0, "recall", [("bing", "text"), ("bing", "shopping")]),
    ("Bing precision", 1.0, "precision", [("bing", "text"), ("bing", "shopping")]),
]
FIELDS = [
    ("positions", 0.98, [(engine, kind, "position") for engine in BOTH for kind in ("text", "shopping")]),
    ("domains", 0.98, [(engine, "text", "domain") for engine in BOTH]),
    ("descriptions", 0.95, [(engine, "text", "description") for engine in BOTH]),
    ("prices", 0.98, [(engine, "shopping", "price") for engine in BOTH]),
    ("merchants", 0.98, [(engine, "shopping", "merchant") for engine in BOTH]),
]


def is_repeated(recorded, name):
    """Whether a record is `name` followed by itself, in full or shortened."""
    rest = recorded[len(name):] if recorded.startswith(name) else ""
    pieces = sorted({name[:end] for end in range(2, len(name) + 1)}, key=len, reverse=True)
    piece = "|".join(re.escape(text) for text in pieces)
    return bool(name and rest) and re.fullmatch(rf"(?:(?:{piece})\s*(?:\.\.\.|…)?\s*)+", rest) is not None


def repeated_merchants(read, folder):
    """Ads per engine whose recorded merchant is the one that was read, written several times."""
    counts = defaultdict(int)
    lines = {line["file"]: line for line in map(json.loads, read.read_text(encoding="utf-8").splitlines())}
    for page in json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8")):
        seen = {ad["position"]: ad for ad in lines.get(page["file"], {}).get("shopping", [])}
        for ad in page["shopping_ads"]:
            name = (seen.get(ad["position"]) or {}).get("merchant") or ""
            counts[page["engine"]] += is_repeated(ad.get("merchant") or "", name)
    return counts


def main():
    read, score, folder = Path(sys.argv[1]), Path(sys.argv[2]).read_text(encoding="utf-8"), Path(sys.argv[3])
    found, fields = defaultdict(lambda: (0, 1.0, 1.0)), {}
    for engine, kind, ads, recall, precision in re.findall(
            r"^(\w+) (\w+) all +ads +(\d+) +recall ([\d.]+) +precision ([\d.]+)", score, re.M):
        found[engine, kind] = (int(ads), float(recall), float(precision))
    for engine, kind, name, right, compared in re.findall(r"^(\w+) (\w+) (\w+) +right (\d+)/(\d+)", score, re.M):
        fields[engine, kind, name] = (int(right), int(compared))
    verdicts = re.search(r"verdicts right (\d+)/(\d+); pages without output (\d+)", score)
    if not verdicts:
        sys.exit("accuracy: the score has no line about page verdicts; is score.py whole?")

    lines = []
    for name, least, what, cells in SHARES:
        lines.append((name, least, min(found[cell][1 if what == "recall" else 2] for cell in cells), ""))
    repeated = repeated_merchants(read, folder)
    for name, least, cells in FIELDS:
        right = sum(fields.get(cell, (0, 0))[0] for cell in cells)
        compared = sum(fields.get(cell, (0, 0))[1] for cell in cells)
        note = ""
        if name == "merchants" and sum(repeated.values()):
            extra = sum(repeated.values())
            note = f"as recorded {right / compared:.3f}; {extra} records repeat the name that was read"
            right += extra
        lines.append((name, least, right / compared if compared else 1.0, note))
    right, pages, absent = map(int, verdicts.groups())
    lines.append(("page verdicts", 1.0, (right - absent) / pages if pages else 0.0, ""))

    for name, least, reached, note in lines:
        # Compared as printed: the score has three digits.
        state = "met" if round(reached, 3) >= least else "MISSED"
        print(f"target {name:26} {least:.2f}  reached {reached:.3f}  {state}{f'  ({note})' if note else ''}")
    return 1 if any(round(reached, 3) < least for _, least, reached, _ in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
