#!/usr/bin/env python3
"""Compares the public symbols of each module with the lists beside this file.

Also checks that no two modules have a type of the same name, because a file that imports both modules could name neither type.
Run this script after `swift build`, whose modules it reads.

    python3 Tests/RepositoryTests/PublicSymbols/check.py            # fails if a list differs
    python3 Tests/RepositoryTests/PublicSymbols/check.py --renew    # rewrites the lists: review the changes before you commit them
"""
import difflib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
modules = [
    "Pledge", "PledgePromiseKit", "PledgeCoding", "PledgeHTTP", "ExistKit", "MyDataHelpsKit", "PledgeBatch", "PledgeHistory", "PledgeServer", "PledgeSandbox",
]
# Protocols of the language itself are left out, because compilers differ in whether they list them.
everywhere = {"", "Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def extract(graphs):
    """Writes the symbol graphs of all modules into a folder. Unlike `swift package`, this doesn't wait while tests run."""
    products = subprocess.check_output(["swift", "build", "--show-bin-path"], cwd=here.parents[2], text=True).strip()
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["unversionedTriple"]
    products = pathlib.Path(products)
    maps = [word for path in products.glob("*.build/module.modulemap") for word in ("-Xcc", f"-fmodule-map-file={path}")]
    for module in modules:
        subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-I", products / "Modules", *maps, "-target", target,
             "-minimum-access-level", "public", "-include-spi-symbols", "-skip-synthesized-members", "-output-dir", graphs],
            check=True)


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
    with tempfile.TemporaryDirectory() as folder:
        graphs = pathlib.Path(folder)
        extract(graphs)
        found = {module: lines(graphs, module) for module in modules}
    isSame, homes = True, {}
    for module, offered in found.items():
        file = here / f"{module}.txt"
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
    for name, owners in homes.items():
        if len(owners) > 1:
            sys.exit(f"{name} is a type of {' and of '.join(owners)}: a file that imports both can name neither.")
    if not isSame:
        sys.exit(f"The public symbols have changed. If that is meant: python3 {sys.argv[0]} --renew")


main()
