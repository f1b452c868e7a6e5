"""Compares the failed cases of a report with the exceptions: oracle_exceptions.py REPORT EXCEPTIONS

An exception is a line `name reason`; lines that start with # say nothing. A line `*/field reason` stands for every difference of that field, in
whatever case: a case that differs in nothing else is an exception by its fields. Names that the report does not know are fine: other corpora have
other cases. An exception that passes is told, so that it can be taken out.
"""

import json
import re
import sys

# Where a difference stands, at its start or after the step of a case that tells it: `/0/brand/label: expected …`.
PLACE = re.compile(r"(?:^|-> )(\S*/[^\s/:]+): (?:expected|missing|not expected)")


def main(report_path, exceptions_path):
    with open(report_path, encoding="utf-8") as file:
        cases = json.load(file)
    with open(exceptions_path, encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    exceptions = {line.split(None, 1)[0] for line in lines if line and not line.startswith("#")}
    fields = {name.removeprefix("*/") for name in exceptions if name.startswith("*/")}
    exceptions -= {f"*/{field}" for field in fields}

    def is_by_field(diff):
        place = PLACE.search(diff)
        return place is not None and place[1].rsplit("/", 1)[1] in fields

    failed = {case["name"] for case in cases if case["diffs"]}
    passed = {case["name"] for case in cases} - failed
    by_field = {case["name"] for case in cases if case["diffs"] and all(map(is_by_field, case["diffs"]))} - exceptions
    for name in sorted(exceptions & passed):
        print(f"oracle: {name} is an exception but passes")
    unexpected = sorted(failed - exceptions - by_field)
    for name in unexpected:
        print(f"oracle: {name} fails and is no exception", file=sys.stderr)
    print(
        f"oracle: {len(failed & exceptions)} exceptions, {len(by_field)} by their fields, {len(unexpected)} other failures"
    )
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
