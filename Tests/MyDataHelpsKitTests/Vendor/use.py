#!/usr/bin/env python3
"""Uses every public symbol of the official SDK in Swift 5 mode, as a program written for that SDK would, and compares the
symbols that don't compile with the article's tables. There is a table for each version. It must have all symbols that don't
compile, and none that does.

    use.py <article> <options of the compiler …>      called by ../ViewStubs/check.sh
"""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent


def split(text):
    """Splits a text at the commas that aren't in brackets."""
    parts, depth, part = [], 0, ""
    for index, character in enumerate(text):
        depth += (character in "([<") - (character in ")]" or character == ">" and text[index - 1] != "-")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return parts + [part.strip()] if part.strip() else parts


def call(declaration, callee, result):
    """Returns functions that call a declaration: with all of its parameters, and with only those that have no default."""
    opening = declaration.index("(")
    depth, end = 0, opening
    for end in range(opening, len(declaration)):
        depth += (declaration[end] == "(") - (declaration[end] == ")")
        if depth == 0:
            break
    effects = declaration[end + 1 :].split("->")[0]
    words = ("try " if "throws" in effects else "") + ("await " if "async" in effects else "")
    parameters, everything, needed = [], [], []
    for index, parameter in enumerate(split(declaration[opening + 1 : end])):
        names, type = parameter.split(":", 1)
        label = names.split()[0]
        argument = f"p{index}" if label == "_" else f"{label}: p{index}"
        parameters.append(f"_ p{index}: {type.split(' = ')[0].strip()}")
        everything.append(argument)
        if " = " not in type:
            needed.append(argument)
    head, returned = f"({', '.join(parameters)}) {effects.strip()}", f" -> {result}" if result else ""
    calls = [everything] + ([needed] if needed != everything else [])
    return [f"{head}{returned} {{ {words}{callee}({', '.join(arguments)}) }}" for arguments in calls]


def use(path, kind, declaration, rows):
    """Returns the functions that use a symbol, on one line."""
    owner, _, name = path.rpartition(".")
    actor = "@MainActor " if "ViewController" in path else ""
    members = [row for row in rows if row[0].rpartition(".")[0] == path]
    if kind in ("struct", "class", "enum"):
        uses = [f"static func NAME() {{ let _ = {path}.self }}"]
        if any(row[0] == f"{path}.id" for row in members) and any(row[0] == f"{path}.ID" for row in members):
            uses.append(f"static func NAME() {{ let _: any Identifiable.Type = {path}.self }}")
        # A structure with a raw value is an open enumeration, which is encoded as that value.
        raw = "(RawRepresentable & Codable)" if kind == "struct" else "RawRepresentable"
        conformances = {"init(from:)": "Decodable", "encode(to:)": "Encodable", "init(rawValue:)": raw}
        for row in members if path != "ScopedIdentifier" else []:
            if conformance := conformances.get(row[0].rpartition(".")[2]):
                uses.append(f"static func NAME() {{ let _: any {conformance}.Type = {path}.self }}")
        if path.endswith("Error"):
            uses.append(f"static func NAME(_ x: {path}) -> any Error {{ x }}")
        cases = [re.match(r"case (\w+)", row[2])[1] for row in members if row[1] == "enum.case"]
        if cases:
            uses.append(f"func NAME() {{ switch self {{ case {', '.join('.' + case for case in cases)}: break }} }}")
        owner = path
    elif kind == "typealias":
        uses = [f"static func NAME(_ x: {path}) -> {declaration.split(' = ')[1]} {{ x }}"]
    elif kind in ("property", "type.property"):
        static, this = ("static ", owner) if kind == "type.property" else ("", "self")
        type = declaration.split(": ", 1)[1].removesuffix(" { get }")
        uses = [f"{static}func NAME() -> {type} {{ {this}.{name} }}"]
        if re.search(r"\bvar\b", declaration) and "{ get }" not in declaration:
            uses.append(f"mutating func NAME(_ new: {type}) {{ self.{name} = new }}")
        if kind == "property":
            root = owner if "ViewController" in owner else "Self"
            uses.append(f"static func NAME() -> KeyPath<{root}, {type}> {{ \\.{name} }}")
            uses.append(f"static func NAME(_ all: [{owner}]) -> [{type}] {{ all.map(\\.{name}) }}")
    elif kind == "enum.case":
        case, _, types = declaration.removeprefix("case ").partition("(")
        types = split(types.removesuffix(")"))
        parameters = "".join(f", _ p{i}: {type}" for i, type in enumerate(types))
        arguments = f"({', '.join(f'p{i}' for i in range(len(types)))})" if types else ""
        bound = f"({', '.join(f'let q{i}' for i in range(len(types)))})" if types else ""
        typed = " ".join(f"let _: {type} = q{i};" for i, type in enumerate(types))
        uses = [f"static func NAME(_ x: Self{parameters}) {{ let _: Self = .{case}{arguments}; if case .{case}{bound} = x {{ {typed} }} }}"]
    elif kind == "init":
        result = owner + ("?" if declaration.startswith("init?") else "")
        uses = ["static func NAME" + text for text in call(declaration, owner, result)]
    else:
        result = declaration[declaration.rfind(")") :].partition(" -> ")[2]
        uses = ["func NAME" + text for text in call(declaration.removeprefix("override "), f"self.{name.partition('(')[0]}", result)]
    # Typed identifiers can be encoded or decoded only if their values can.
    where = {"encode(to:)": " where Value: Encodable", "init(from:)": " where Value: Decodable"}.get(name, "")
    where = where if owner == "ScopedIdentifier" else ""
    texts = [f"{actor}{text}" for text in uses]
    return f"extension {owner}{where} {{ {'; '.join(texts)} }}"


def differences(version, options):
    """Returns the number of a version's symbols, and the compiler's errors for those whose use doesn't compile."""
    rows = [line.split("\t") for line in (here / f"{version}.tsv").read_text().splitlines() if not line.startswith("#")]
    rows = [(path, kind.removeprefix("swift."), declaration) for path, kind, declaration in rows]
    imports = "import Foundation; import MyDataHelpsKit; import UIKit; import WebKit"
    lines = [imports] + [use(*row, rows) for row in rows]
    # Each function that uses a type needs its own name.
    names = itertools.count()
    text = re.sub("NAME", lambda _: f"use{next(names)}", "\n".join(lines) + "\n")
    isRight, errors = compiled(text, options)
    found = {}
    for line, words in re.findall(r"Use\.swift:(\d+):\d+: error: (.*)", errors):
        found.setdefault(rows[int(line) - 2][0], words)
    if not isRight and not found:
        sys.exit(errors)
    return len(rows), found


ERROR_VIEW = """import MyDataHelpsKit
func text(of error: MyDataHelpsError) -> String {{
    switch error {{
    case .encodingError, .decodingError, .unauthorizedRequest, .tooManyRequests, .serverError, .webContentError: return ""
    case let .timedOut(underlying): {}
    case let .unknown(.some(underlying)): return underlying.localizedDescription
    {} return ""
    }}
}}
"""


def patch(article, options):
    """Checks the two lines that the article changes in the example app: neither may compile unchanged. Returns what is wrong."""
    block = article.partition("```diff\n")[2].partition("```")[0].splitlines()
    old, new = ([line[2:] for line in block if line[0] == sign] for sign in "-+")
    return [
        f"The patch of the example app is untrue: {text}"
        for lines, compiles in ((new, True), ((old[0], new[1]), False), ((new[0], old[1]), False))
        if (not compiled(text := ERROR_VIEW.format(*lines), options)[0]) == compiles
    ]


def compiled(text, options):
    """Returns whether a file compiles in Swift 5 mode, and the compiler's output."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "Use.swift")
        file.write_text(text)
        result = subprocess.run(
            ["swiftc", "-typecheck", "-swift-version", "5", *options, file], capture_output=True, text=True)
    return result.returncode == 0, result.stderr


def main(article, *options):
    text, failed = pathlib.Path(article).read_text(), False
    for version in ("2.0.0", "1.3.0"):
        count, found = differences(version, options)
        table = text.partition(f"| in version {version} | here |\n|---|---|\n")[2]
        rows = [line for line in re.split(r"\n(?!\|)", table)[0].splitlines()]
        listed = {symbol for row in rows for symbol in re.findall(r"`([^`]+)`", row.split(" | ")[0])}
        for symbol in sorted(found.keys() - listed):
            print(f"{version}: {symbol} is not in the article's table: {found[symbol]}")
        for symbol in sorted(listed - found.keys()):
            print(f"{version}: {symbol} is in the article's table, and compiles")
        claim = f"{count - len(found)} of {count} public symbols of version {version}"
        if claim not in " ".join(text.split()):
            print(f"The article does not say “{claim}”")
            failed = True
        failed = failed or found.keys() != listed
        print(f"{claim} compile as they are used; {len(found)} differ.")
    wrong = patch(text, options)
    print("\n".join(wrong) or "The patch of the example app is as small as it can be.")
    return failed or bool(wrong)


sys.exit(main(*sys.argv[1:]))
