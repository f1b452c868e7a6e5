#!/usr/bin/env python3
"""The shape of the code: which module uses which, what things are called, and how comments read.

    structure.py [--circles] [--slices] [--scopes] [--errors] [--names] [--schemas] [--words] [--root FOLDER]
    structure.py --report [--root FOLDER]

Each option asks for one rule; without any, all rules apply. --report counts the words of comments and refuses nothing.

--circles  no files of a crate depend on each other in a circle; what the modules around a module define is free to it
--slices   a feature, a job or a command uses nothing of another one
--scopes   no function takes a Scope that it does not use
--errors   the name of an error type ends in Error
--names    no function or type has one of the names that mean nothing alone
--schemas  no two types of the API's document have the same name: one would describe both
--words    comments use the words in LIMITS no more often than LIMITS allow
"""

import argparse
import re
import sys
import tomllib
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

# Folders whose entries, a file or a folder each, do not use each other.
SLICES = ["api/src/features", "workers/src/jobs", "compose/vigie/src/commands"]
FUNCTIONS = {"of", "by", "part"}
TYPES = set("Asked Answer Wanted Kept Held Told Seen By Place Met Taken Door Tries Deed Sight Tie Turn".split())
# Circles that may stay: the files of one, and the reason.
ALLOWED: dict[frozenset[str], str] = {}
MOST_ALLOWED = 5

WORDS = {
    "stand": re.compile(r"\bstand(?:s|ing)?\b", re.IGNORECASE),
    "tell": re.compile(r"\b(?:tell|tells|told)\b", re.IGNORECASE),
    # At the start of a sentence that is no question.
    "who": re.compile(r"(?:^|[.!?:;]\s+)Who\b(?![^.!?]*\?)"),
    "anew": re.compile(r"\banew\b", re.IGNORECASE),
}
# Per 1,000 words of all comments: what well-kept code bases of the same kind have.
LIMITS = {"stand": 0.05, "tell": 0.10, "who": 0.0, "anew": 0.0}
# A documentation comment of fewer words says nothing that the name does not.
LEAST_WORDS_OF_DOCS = 3

STRING = r'\b[bc]?r(?P<hashes>#*)"[\s\S]*?"(?P=hashes)|"(?:\\[\s\S]|[^"\\])*"'
CHARACTER = r"'(?:\\(?:u\{\w+\}|x\w\w|.)|[^'\\\n])'"
RUST = re.compile(rf"(?P<line>//[^\n]*)|(?P<block>/\*[\s\S]*?\*/)|{STRING}|{CHARACTER}")
SCRIPT = re.compile(
    r"(?P<line>(?<![:\w])//[^\n]*)|(?P<block>/\*[\s\S]*?\*/)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`"
)
BRACE = re.compile(r"[{}]")
OF_TESTS = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*[^{;]*(?P<end>[{;])")
INLINE = re.compile(r"\bmod\s+(?:r#)?(\w+)\s*\{")
CHILD = re.compile(r"\bmod\s+(?:r#)?(\w+)\s*;")
ITEM = re.compile(
    r"\b(?:fn|struct|enum|union|trait|type|const|static|macro_rules!)\s+"
    r"(?!(?:fn|unsafe|async|extern)\b)(?:mut\s+)?(?:r#)?([A-Za-z_]\w*)"
)
MACRO = re.compile(r"^(?:macro_rules!\s+\w+|(?:\w+::)*\w+!)\s*[({\[]", re.MULTILINE)
USE = re.compile(r"(?P<public>\bpub(?:\s*\([^)]*\))?\s+)?\buse\s+(?P<tree>[\w:{][^;]*);")
TOKEN = re.compile(r"::|[{},*]|\bas\b|(?:r#)?\w+")
INLINE_PATH = re.compile(r"(?<![:\w])(?:r#)?[A-Za-z_]\w*(?:\s*::\s*(?:r#)?[A-Za-z_]\w*)+")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

UNUSED_SCOPE = re.compile(r"\b_\w*\s*:\s*(?:&\s*(?:'\w+\s+)?)?(?:\w+::)*Scope\b")
DERIVED_ERROR = re.compile(
    r"#\[derive\([^)]*\bError\b[^)]*\)\]\s*(?:#\[(?:[^\[\]]|\[[^\]]*\])*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:enum|struct)\s+(\w+)"
)
WRITTEN_ERROR = re.compile(r"\bimpl(?:<[^>]*>)?\s+(?:(?:std|core)::error::)?Error\s+for\s+(?:\w+::)*(\w+)")
FUNCTION = re.compile(r"\bfn\s+(\w+)")
SCHEMA = re.compile(
    r"#\[derive\([^)]*\bToSchema\b[^)]*\)\]\s*(?:#\[[^\n]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum)\s+(\w+)"
)
TYPE = re.compile(r"\b(?:struct|enum|union|trait|type)\s+(\w+)")


@dataclass
class Use:
    """One name that a `use` brings into scope; `*` for all of a module."""

    name: str
    path: tuple[str, ...]
    is_public: bool
    line: int


@dataclass
class Module:
    path: tuple[str, ...]
    file: str
    text: str = ""
    children: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    uses: list[Use] = field(default_factory=list)
    inline: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    identifiers: set[str] = field(default_factory=set)

    def bindings(self, name):
        return [use for use in self.uses if use.name == name]

    def globs(self):
        return [use for use in self.uses if use.name == "*"]


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def without_comments(text):
    """The code alone: strings and comments are spaces, so that places stay what they are."""
    return RUST.sub(lambda found: blank(found.group()), text)


def end_of_block(code, opening):
    depth = 0
    for found in BRACE.finditer(code, opening):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end()
    return len(code)


def outermost(code):
    """The code outside all braces, where the items of a module are."""
    parts, at = [], 0
    for found in BRACE.finditer(code):
        if found.start() >= at and found.group() == "{":
            end = end_of_block(code, found.start())
            parts += [code[at : found.start()], "{}"]
            at = end
    return "".join(parts) + code[at:]


def without_tests(code):
    """The code without what is compiled for tests alone."""
    parts, at = [], 0
    for found in OF_TESTS.finditer(code):
        if found.start() < at:
            continue
        end = found.end() if found.group("end") == ";" else end_of_block(code, found.end() - 1)
        parts += [code[at : found.start()], blank(code[found.start() : end])]
        at = end
    return "".join(parts) + code[at:]


def leaves(tree):
    """`a::{b as c, d::*}` as pairs of the name in scope and its path."""
    tokens = [token.removeprefix("r#") for token in TOKEN.findall(tree)]
    at = 0

    def branch(before):
        nonlocal at
        path = list(before)
        while at < len(tokens):
            token = tokens[at]
            at += 1
            if token == "::":
                continue
            if token == "{":
                while at < len(tokens) and tokens[at] != "}":
                    if tokens[at] == ",":
                        at += 1
                    else:
                        yield from branch(path)
                at += 1
                return
            if token == "*":
                yield "*", tuple(path)
                return
            # `a::{self}` is `a`; `self::a` begins with it.
            if token != "self" or not path:
                path.append(token)
            following = tokens[at] if at < len(tokens) else ","
            if following == "as":
                yield tokens[at + 1], tuple(path)
                at += 2
                return
            if following in ",}":
                yield path[-1], tuple(path)
                return

    yield from branch([])


class Crate:
    """The modules of one target of a crate, from its first file."""

    def __init__(self, root, first, code):
        self.root, self.code, self.modules = root, code, {}
        # What a file uses of another one: by the paths as they are written, the first line of each.
        self.edges = defaultdict(lambda: defaultdict(dict))
        self.read((), first, first.parent)
        for module in list(self.modules.values()):
            self.connect(module)

    def read(self, path, file, folder):
        name = str(file.relative_to(self.root))
        self.take(path, name, without_tests(self.code[name]), folder)

    def take(self, path, name, text, folder):
        module = self.modules[path] = Module(path, name)
        at, parts, bodies = 0, [], []
        for found in INLINE.finditer(text):
            if found.start() < at:
                continue
            end = end_of_block(text, found.end() - 1)
            bodies.append((found.group(1), "\n" * text.count("\n", 0, found.end()) + text[found.end() : end - 1]))
            parts += [text[at : found.start()], blank(text[found.start() : end])]
            at = end
        text = "".join(parts) + text[at:]
        for child, body in bodies:
            module.children.add(child)
            self.take((*path, child), name, body, folder / child)
        for child in CHILD.findall(text):
            for file in (folder / f"{child}.rs", folder / child / "mod.rs"):
                if str(file.relative_to(self.root)) in self.code:
                    module.children.add(child)
                    self.read((*path, child), file, folder / child)
        module.items = set(ITEM.findall(outermost(text)))
        # Every name that a macro is given may be one that it defines.
        for found in MACRO.finditer(text):
            closing = end_of_block(text, found.end() - 1) if found.group().endswith("{") else text.find(";", found.end())
            module.given.update(IDENTIFIER.findall(text[found.end() : closing]))
        for found in USE.finditer(text):
            # That is another crate, whatever modules are called here.
            if found.group("tree").startswith("::"):
                continue
            for bound, used in leaves(found.group("tree")):
                module.uses.append(Use(bound, used, bool(found.group("public")), line_of(text, found.start("tree"))))
        module.text = USE.sub(lambda found: blank(found.group()), text)
        module.identifiers = set(IDENTIFIER.findall(module.text))
        for found in INLINE_PATH.finditer(module.text):
            segments = tuple(part.strip().removeprefix("r#") for part in found.group().split("::"))
            module.inline.append((segments, line_of(module.text, found.start())))

    def start(self, module, path):
        """The module that a path begins in, and what follows of the path."""
        at, rest = module.path, path
        if rest[0] == "crate":
            return self.modules[()], rest[1:]
        if rest[0] == "self":
            rest = rest[1:]
        while rest and rest[0] == "super":
            at, rest = at[:-1], rest[1:]
        return self.modules.get(at), rest

    def definer(self, module, path, seen=frozenset()):
        """The module in this crate that defines what `path` names; None for modules and for what is of other crates."""
        module, rest = self.start(module, path)
        if module is None or not rest:
            return None
        name = rest[0]
        if name in module.children and len(rest) > 1:
            found = self.definer(self.modules[(*module.path, name)], ("self", *rest[1:]), seen)
            if found:
                return found
        if name in module.items:
            return module
        for use in [*module.bindings(name), *module.globs()]:
            # No import leads through itself.
            if (module.path, use.line, use.path) in seen:
                continue
            following = rest if use.name == "*" else rest[1:]
            found = self.definer(module, (*use.path, *following), seen | {(module.path, use.line, use.path)})
            if found:
                return found
        return module if name in module.given else None

    def connect(self, module):
        def edge(path, line):
            to = self.definer(module, path)
            # A module may use what the modules around it define.
            if to is not None and to.file != module.file and to.path != module.path[: len(to.path)]:
                self.edges[module.file][to.file].setdefault("::".join(path), line)

        for use in module.uses:
            if use.name == "*":
                if not use.is_public:
                    for name in sorted(module.identifiers - module.items):
                        edge((*use.path, name), use.line)
            # What a module only passes on it does not use.
            elif not use.is_public or use.name in module.identifiers:
                edge(use.path, use.line)
        for path, line in module.inline:
            # What is said of an item that was imported is no second use.
            if self.definer(module, path[:1]) is not self.definer(module, path):
                edge(path, line)

    def circles(self):
        """Sets of files of which each depends on each (Tarjan)."""
        number, low, stack, found = {}, {}, [], []

        def visit(file):
            number[file] = low[file] = len(number)
            stack.append(file)
            for to in self.edges.get(file, ()):
                if to not in number:
                    visit(to)
                    low[file] = min(low[file], low[to])
                elif to in stack:
                    low[file] = min(low[file], number[to])
            if low[file] == number[file]:
                at = stack.index(file)
                circle = stack[at:]
                del stack[at:]
                if len(circle) > 1:
                    found.append(sorted(circle))

        for file in sorted(self.edges):
            if file not in number:
                visit(file)
        return sorted(found)


class Tree:
    """The Rust code of a workspace and the comments of its web client."""

    def __init__(self, root):
        self.root = root
        members = tomllib.loads((root / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["members"]
        self.members = sorted(folder.relative_to(root) for member in members for folder in root.glob(member))
        self.text = {}
        for member in self.members:
            for path in sorted((root / member).rglob("*.rs")):
                if "target" not in path.relative_to(root).parts:
                    self.text[str(path.relative_to(root))] = path.read_text(encoding="utf-8")
        self.code = {name: without_comments(text) for name, text in self.text.items()}
        self._crates = None

    def crates(self):
        if self._crates is None:
            self._crates = []
            for member in self.members:
                source = self.root / member / "src"
                for first in [source / "lib.rs", source / "main.rs", *sorted(source.glob("bin/*.rs"))]:
                    if first.is_file():
                        self._crates.append(Crate(self.root, first, self.code))
        return self._crates

    def matches(self, pattern):
        for name, code in self.code.items():
            for found in pattern.finditer(code):
                yield f"{name}:{line_of(code, found.start())}", found


def circles(tree, allowed=None):
    allowed = ALLOWED if allowed is None else allowed
    if len(allowed) > MOST_ALLOWED:
        yield f"{len(allowed)} circles are allowed, {MOST_ALLOWED} at most may be"
    met = set()
    for crate in tree.crates():
        for circle in crate.circles():
            met.add(frozenset(circle))
            if allowed.get(frozenset(circle)):
                continue
            lines = [f"circle of {len(circle)} files: {' '.join(circle)}"]
            for file in circle:
                for to, paths in sorted(crate.edges[file].items()):
                    if to in circle:
                        used = ", ".join(f"{path} (line {line})" for path, line in paths.items())
                        lines.append(f"    {file} uses of {to}: {used}")
            yield "\n".join(lines)
    for circle in allowed.keys() - met:
        yield f"no circle, but allowed: {' '.join(sorted(circle))}"


def slice_of(name):
    """The folder of slices that a file belongs to, and which of them it is."""
    for folder in SLICES:
        if name.startswith(f"{folder}/"):
            entry = name.removeprefix(f"{folder}/").split("/")[0].removesuffix(".rs")
            return None if entry == "mod" else (folder, entry)
    return None


def slices(tree):
    for crate in tree.crates():
        for file, edges in sorted(crate.edges.items()):
            for to, paths in sorted(edges.items()):
                mine, other = slice_of(file), slice_of(to)
                if mine and other and mine[0] == other[0] and mine != other:
                    for path, line in paths.items():
                        yield f"{file}:{line}: {mine[1]} uses {path} of {other[1]} ({to})"


def scopes(tree):
    for place, found in tree.matches(UNUSED_SCOPE):
        yield f"{place}: a scope that is not used: {found.group()}"


def errors(tree):
    for pattern in [DERIVED_ERROR, WRITTEN_ERROR]:
        for place, found in tree.matches(pattern):
            if not found.group(1).endswith("Error"):
                yield f"{place}: the error {found.group(1)} is not called so"


def names(tree):
    for pattern, refused, kind in [(FUNCTION, FUNCTIONS, "function"), (TYPE, TYPES, "type")]:
        for place, found in tree.matches(pattern):
            if found.group(1) in refused:
                yield f"{place}: a {kind} called {found.group(1)} says nothing"


def schemas(tree):
    first = {}
    for place, found in tree.matches(SCHEMA):
        name = found.group(1)
        if first.setdefault(name, place) != place:
            yield f"{place}: the schema {name} is also defined at {first[name]}"


@dataclass
class Comment:
    file: str
    line: int
    is_documentation: bool
    text: str


def comments(name, text, grammar):
    """Comments on lines that follow each other, as one."""
    last = None
    for found in grammar.finditer(text):
        if found.lastgroup not in ("line", "block"):
            continue
        raw = found.group()
        kind = re.match(r"///?!?|/\*\*?!?", raw).group()
        line = line_of(text, found.start())
        words = " ".join(part.strip().lstrip("*").strip() for part in raw[len(kind) :].removesuffix("*/").splitlines())
        is_documentation = kind in ("///", "//!", "/**", "/*!")
        if last and last[1:] == (kind, line - 1) and kind.startswith("//"):
            last[0].text += f" {words}"
        else:
            if last:
                yield last[0]
            last = (Comment(name, line, is_documentation, words), kind, line)
        last = (last[0], kind, line + raw.count("\n"))
    if last:
        yield last[0]


def counted(tree):
    """Words by part of the product, and the comments that a rule is about."""
    counts, met = defaultdict(Counter), []
    sources = [(str(member), f"{member}/", RUST, tree.text) for member in tree.members]
    script = {}
    for path in sorted((tree.root / "web/src").rglob("*.ts*")):
        # Declarations are generated, or a few lines for the compiler.
        if path.name.endswith(".d.ts"):
            continue
        script[str(path.relative_to(tree.root))] = path.read_text(encoding="utf-8")
    sources.append(("web/src", "web/src/", SCRIPT, script))
    for part, folder, grammar, texts in sources:
        for name, text in texts.items():
            if not name.startswith(folder):
                continue
            for comment in comments(name, text, grammar):
                words = len(comment.text.split())
                counts[part]["words"] += words
                for word, pattern in WORDS.items():
                    found = len(pattern.findall(comment.text))
                    counts[part][word] += found
                    if found:
                        met.append((word, comment))
                if comment.is_documentation:
                    counts[part]["docs"] += 1
                    if 0 < words < LEAST_WORDS_OF_DOCS:
                        counts[part]["short"] += 1
                        met.append(("short", comment))
    return counts, met


def words(tree):
    counts, met = counted(tree)
    total = sum(counts.values(), Counter())
    for word, limit in LIMITS.items():
        rate = per_thousand(total, word)
        if rate > limit:
            yield f"comments: '{word}' {rate:.2f} times in 1,000 words, {limit:.2f} at most"
            yield from (f"{comment.file}:{comment.line}: {comment.text}" for which, comment in met if which == word)
    for which, comment in met:
        if which == "short":
            yield f"{comment.file}:{comment.line}: documentation that says nothing: {comment.text}"


def per_thousand(count, word):
    return 1000 * count[word] / max(count["words"], 1)


def report(tree):
    counts, _ = counted(tree)
    print(f"{'':28}{'words':>8}" + "".join(f"{word:>14}" for word in LIMITS) + f"{'short docs':>16}")
    for part, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        rates = "".join(f"{count[word]:>7} {per_thousand(count, word):>6.2f}" for word in LIMITS)
        print(f"{part:28}{count['words']:>8}{rates}{count['short']:>7} of {count['docs']}")


RULES = {"circles": circles, "slices": slices, "scopes": scopes, "errors": errors, "names": names, "schemas": schemas, "words": words}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for rule in RULES:
        parser.add_argument(f"--{rule}", action="store_true")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
    options = parser.parse_args(arguments)
    tree = Tree(options.root)
    if options.report:
        report(tree)
        return 0
    asked = [rule for rule in RULES if getattr(options, rule)] or list(RULES)
    wrong = [what for rule in asked for what in RULES[rule](tree)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    print(f"structure: {', '.join(asked)} of {len(tree.text)} files, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
