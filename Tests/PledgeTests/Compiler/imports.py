#!/usr/bin/env python3
"""Checks that a file which imports only Pledge keeps its meaning when other files or dependencies import other products.

Run this script from the package's folder, after `swift build`. It needs only Swift and Python.

For each product, there are two cases: another file of the same target imports the product, or a dependency of a dependency does.
The script compiles a file that imports only Pledge in each case, and once without that other import, in both language modes. The
intermediate code of the file must be the same, because the same code makes the same calls, with the same queues, on the same
types. The errors that the compiler reports for a file with mistakes must also be the same.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
products = pathlib.Path(subprocess.check_output(["swift", "build", "--show-bin-path"], text=True).strip())
flags = ["-I", str(products / "Modules")]
for map in products.glob("Pledge*.build/module.modulemap"):
    flags += ["-Xcc", f"-fmodule-map-file={map}"]

# Every library of the manifest, with the line by which a file imports it.
ROWS = {
    "Pledge": "import Pledge",
    "PledgePromiseKit": "@_spi(PromiseKit) import PledgePromiseKit",
    "PledgeHTTP": "import PledgeHTTP",
    "ExistKit": "import ExistKit",
    "MyDataHelpsKit": "import MyDataHelpsKit",
    "PledgeHistory": "import PledgeHistory",
    "PledgeBatch": "import PledgeBatch",
    "PledgeSandbox": "import PledgeSandbox",
}
# A module that takes over a call in files that don't import it. The check must notice this if a file says `import Leak`.
LEAK = """import Dispatch
import Pledge
extension Thenable {
    @preconcurrency public func done(
        on queue: DispatchQueue? = .main, _ body: @escaping @Sendable (T) throws -> Void
    ) -> Promise<Void> { done(on: queue, flags: nil, body) }
}
"""
MODES = ["5", "6"]


def compile(folder, mode, module, *arguments):
    command = ["swiftc", "-frontend", *arguments, "-module-name", module, "-swift-version", mode, "-parse-as-library"]
    command += [*flags, "-I", str(folder), "-I", str(folder.parent)]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return result.stdout + result.stderr


def meaning(folder, mode, *others):
    """Returns the intermediate code of Chains.swift, and the compiler's messages about Races.swift."""
    sil = lambda file, other, output: compile(
        folder, mode, "App", "-emit-sil", "-primary-file", file, other, *others, "-o", output)
    code, said = sil("Chains.swift", "Races.swift", "-"), sil("Races.swift", "Chains.swift", os.devnull)
    # Removes the random identifiers that the compiler gives to opened types.
    return re.sub(r'@opened\("[^"]*"', "@opened(", code), said


def meanings(root, name, mode, line):
    """Returns the meanings in two cases: another file of the target, or a file of a dependency's dependency, has the line."""
    folder = root / f"{name}-{mode}"
    folder.mkdir()
    for file in (here / "Imports").glob("*.swift"):
        (folder / file.name).write_text(file.read_text())
    (folder / "Other.swift").write_text(f"{line}\npublic func other() {{}}\n")
    (folder / "Middle.swift").write_text("import Low\npublic func middle() { other() }\n")
    (folder / "Own.swift").write_text("import Middle\nfunc own() { middle() }\n")
    failed = compile(folder, mode, "Low", "-emit-module", "Other.swift", "-o", "Low.swiftmodule")
    failed += compile(folder, mode, "Middle", "-emit-module", "Middle.swift", "-o", "Middle.swiftmodule")
    if "error:" in failed:
        sys.exit(failed)
    return meaning(folder, mode, "Other.swift"), meaning(folder, mode, "Own.swift")


def differences(name, mode, found, expected):
    for place, one, other in zip(["another file of the target", "a dependency of a dependency"], found, expected):
        for what, this, that in zip(["makes other code", "says other things of mistakes"], one, other):
            if this != that:
                yield f"Where {place} imports it, {name} {what} in the Swift {mode} mode."


def main():
    # Reading the manifest needs no lock, and must not wait for tests that are running.
    manifest = json.loads(subprocess.check_output(["swift", "package", "--ignore-lock", "dump-package"], text=True))
    libraries = [product["name"] for product in manifest["products"] if "library" in product["type"]]
    failures = [f"{name} has no row in {pathlib.Path(__file__).name}." for name in libraries if name not in ROWS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        root = pathlib.Path(folder).resolve()
        (root / "Leak.swift").write_text(LEAK)
        compile(root, "6", "Leak", "-emit-module", "Leak.swift", "-o", "Leak.swiftmodule")
        lines = {"nothing": "", "Leak": "import Leak"} | {name: ROWS[name] for name in libraries if name in ROWS}
        jobs = {(name, mode): pool.submit(meanings, root, name, mode, line) for name, line in lines.items() for mode in MODES}
        found = {job: future.result() for job, future in jobs.items()}
    for mode in MODES:
        for code, said in found["nothing", mode]:
            if "error:" in code or "sil @" not in code or "captured var 'sum'" not in said:
                sys.exit(f"Chains.swift is to compile, and Races.swift is to have a race:\n{code[:2000]}\n{said}")
    for name, mode in found:
        changes = list(differences(name, mode, found[name, mode], found["nothing", mode]))
        if name != "Leak":
            failures += changes
        elif len(changes) != 4:
            failures.append(f"Of the 4 changes that a leaking module makes in the Swift {mode} mode, these are noticed: {changes}")
    print(f"{len(libraries)} products: importing one changes nothing in a file that does not.")
    if failures:
        sys.exit("\n".join(failures))


main()
