#!/usr/bin/env python3
"""Compares the public symbols of each module with the lists beside this file.

Also checks that no two modules have a type of the same name, because a file that imports both modules could name neither type.

    python3 Tests/RepositoryTests/PublicSymbols/check.py            # fails if a list differs
    python3 Tests/RepositoryTests/PublicSymbols/check.py --renew    # rewrites the lists: review the changes before you commit them
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

here = pathlib.Path(__file__).resolve().parent
modules = [
    "Pledge", "PledgePromiseKit", "PledgeCoding", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeBatch", "PledgeHistory", "PledgeServer", "PledgeSandbox",
]
# Protocols of the language itself are left out, because compilers differ in whether they list them.
everywhere = {"", "Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def lines(graphs, module):
    """Returns a line for each symbol, with its path and declaration, and a line for each protocol that a type conforms to.

    Extensions of other modules' types have graphs of their own.
    """
    found = set()
    for path in [graphs / f"{module}.symbols.json", *graphs.glob(f"{module}@*.symbols.json")]:
        graph = json.loads(path.read_text())
        names = {symbol["identifier"]["precise"]: ".".join(symbol["pathComponents"]) for symbol in graph["symbols"]}
        for symbol in graph["symbols"]:
            # Lists symbols with @_spi only for PledgePromiseKit. In other modules, they are hooks for benchmarks, not for users.
            if symbol.get("spi") and module != "PledgePromiseKit":
                continue
            words = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
            found.add(f"{'.'.join(symbol['pathComponents'])}: {' '.join(words.split())}\n")
        for fact in graph["relationships"]:
            protocol = fact.get("targetFallback", names.get(fact["target"], "")).removeprefix("Swift.")
            if fact["kind"] == "conformsTo" and fact["source"] in names and protocol not in everywhere:
                found.add(f"{names[fact['source']]}: is {protocol}\n")
    return sorted(found)


def main():
    command = ["swift", "package", "dump-symbol-graph", "--minimum-access-level", "public", "--include-spi-symbols"]
    output = subprocess.run(
        [*command, "--skip-synthesized-members"], cwd=here.parents[2], text=True, stdout=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "PLEDGE_TESTS"})
    # Before the first build of the tests, the command fails for a module of the tests, but writes all other graphs first.
    if "Files written to " not in output.stdout:
        sys.exit(output.stdout)
    graphs = pathlib.Path(output.stdout.split("Files written to ")[-1].strip())
    isSame, homes = True, {}
    for module in modules:
        file, offered = here / f"{module}.txt", lines(graphs, module)
        for line in offered:
            if name := re.match(r"(\w+): (?:@\w+ )*(?:final )?(?:struct|class|enum|actor|protocol|typealias) ", line):
                homes.setdefault(name[1], []).append(module)
        if "--renew" in sys.argv[1:]:
            file.write_text("".join(offered))
            continue
        listed = file.read_text().splitlines(keepends=True) if file.exists() else []
        for line in difflib.unified_diff(listed, offered, f"{module}, as listed", f"{module}, as it is", n=0):
            isSame = False
            print(line, end="")
    for name, found in homes.items():
        if len(found) > 1:
            sys.exit(f"{name} is a type of {' and of '.join(found)}: a file that imports both can name neither.")
    if not isSame:
        sys.exit(f"The public symbols have changed. If that is meant: python3 {sys.argv[0]} --renew")


main()
