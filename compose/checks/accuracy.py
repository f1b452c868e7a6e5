#!/usr/bin/env python3
"""Compares a score of the reader with what is demanded of it: accuracy.py READ.jsonl SCORE.txt FOLDER

READ.jsonl is what `vigie read-page` printed of the pages of FOLDER, SCORE.txt what FOLDER/score.py said of it. Prints one line for each
target and ends with 1 if any is missed.

A recorded merchant may be the name written several times over ('ShopShopSh...'): some pages hold a name in several lengths of which a
browser shows one, and the record has the text of all. Where the reader gives the name once, the ad counts as right, and the line says how
many there are.

A page that says itself that nothing was found may be recorded as a result page. The reader takes it for doubtful, since engines refuse in the
same words: where the saved page says so, and the record knows no ad of it, that counts as right, and the line says how many there are. The
recorded domain of a product may be that of a service that counts clicks: such a record knows no domain.
"""
import html
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
    ("targets", 0.98, [(engine, kind, "target") for engine in BOTH for kind in ("text", "shopping")]),
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


def repeated_merchants(lines, pages):
    """Ads per engine whose recorded merchant is the one that was read, written several times."""
    counts = defaultdict(int)
    for page in pages:
        seen = {ad["position"]: ad for ad in lines.get(page["file"], {}).get("shopping", [])}
        for ad in page["shopping_ads"]:
            name = (seen.get(ad["position"]) or {}).get("merchant") or ""
            counts[page["engine"]] += is_repeated(ad.get("merchant") or "", name)
    return counts


# How pages say that nothing was found; tags and the words of the query stand between.
NOTHING = re.compile(
    r"There are no results for|did not match any documents|No results containing all your search terms|ничего не найдено"
    r"|ne correspond à aucun document", re.I)
TRACKERS = Path(__file__).parents[2] / "capture/src/reading/tables/trackers.txt"


def bare(host):
    return re.sub(r"^www\.", "", host.casefold())


def product_domains(lines, pages):
    """(right, known) domains of shopping ads, of those whose domain the record knows."""
    trackers = {line.split("#")[0].strip() for line in TRACKERS.read_text(encoding="utf-8").splitlines()} - {""}
    right = known = 0
    for page in pages:
        seen = {ad["position"]: ad for ad in lines.get(page["file"], {}).get("shopping", [])}
        for ad in page["shopping_ads"]:
            domain = bare(ad.get("domain") or "")
            if domain and not any(domain == host or domain.endswith(f".{host}") for host in trackers):
                known += 1
                right += bare((seen.get(ad["position"]) or {}).get("domain") or "") == domain
    return right, known


def says_nothing_was_found(page, line, folder):
    """Whether a page recorded as a good one without ads says that nothing was found, and was read so."""
    if line.get("doubts") != ["no-results"] or page["ads"] or page["shopping_ads"]:
        return False
    text = (folder / page["file"]).read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.S | re.I)
    return NOTHING.search(re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", text)))) is not None


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
    read_lines = {line["file"]: line for line in map(json.loads, read.read_text(encoding="utf-8").splitlines())}
    recorded = json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))
    repeated = repeated_merchants(read_lines, recorded)
    for name, least, cells in FIELDS:
        right = sum(fields.get(cell, (0, 0))[0] for cell in cells)
        compared = sum(fields.get(cell, (0, 0))[1] for cell in cells)
        note = ""
        if name == "merchants" and sum(repeated.values()):
            extra = sum(repeated.values())
            note = f"as recorded {right / compared:.3f}; {extra} records repeat the name that was read"
            right += extra
        lines.append((name, least, right / compared if compared else 1.0, note))
    right, known = product_domains(read_lines, recorded)
    lines.append(("domains of products", 0.98, right / known if known else 1.0, f"{known} are recorded"))
    empty = [page["file"] for page in recorded if says_nothing_was_found(page, read_lines.get(page["file"], {}), folder)]
    note = f"{len(empty)} are recorded as result pages and say that nothing was found" if empty else ""
    right, pages, absent = map(int, verdicts.groups())
    # The score takes each of them for a wrong verdict, and for a good page that is doubted.
    lines.append(("page verdicts", 1.0, (right + len(empty) - absent) / pages if pages else 0.0, note))
    doubted = re.search(r"^good pages doubted (\d+)", score, re.M)
    if not doubted:
        sys.exit("accuracy: the score has no line about doubted pages; is score.py whole?")
    good = pages - (int(doubted.group(1)) - len(empty))
    lines.append(("good pages not doubted", 1.0, good / pages if pages else 0.0, ""))

    for name, least, reached, note in lines:
        state = "met" if is_met(least, reached) else "MISSED"
        print(f"target {name:26} {least:.2f}  reached {reached:.3f}  {state}{f'  ({note})' if note else ''}")
    return 0 if all(is_met(least, reached) for _, least, reached, _ in lines) else 1


def is_met(least, reached):
    """Shares are compared as printed, since the score has three digits; a whole is a whole."""
    return reached >= 1.0 if least == 1.0 else round(reached, 3) >= least


if __name__ == "__main__":
    sys.exit(main())
