#!/usr/bin/env python3
"""A file means the same whatever other files, and whatever dependencies of dependencies, import. Run it from the package's
folder, after `swift build`; needs only Swift and Python.

For each product: a target of two files, and a chain of three modules, of which another file, or the lowest module, imports the
product. What the compiler makes of the file that imports only Pledge, and what it says of the mistakes in it, is compared with
what it makes of it without that import, in both language modes. The same intermediate code makes the same calls: with the same
queues, on the same types.
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

# Every library of the manifest, with what a file says that uses it.
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
# A module that takes a call over, as the check has to notice: its file says `import Leak`.
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
    command = ["swiftc", "-frontend", *arguments, *flags, "-I", str(folder), "-I", str(folder.parent), "-swift-version", mode, "-module-name", module]
    command += ["-parse-as-library", "-enable-objc-interop" if sys.platform == "darwin" else "-disable-objc-interop"]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return result.stdout + result.stderr


def meaning(folder, mode, module, *others):
    """What becomes of the chains in Chains.swift, and what is said of those in Races.swift."""
    sil = lambda file, other, output: compile(
        folder, mode, module, "-emit-sil", "-primary-file", file, other, *others, "-o", output)
    code, said = sil("Chains.swift", "Races.swift", "-"), sil("Races.swift", "Chains.swift", os.devnull)
    # The compiler numbers the types that it opens at random.
    return re.sub(r'@opened\("[^"]*"', "@opened(", code), said


def differs(root, name, mode, line, without):
    folder = root / f"{name}-{mode}"
    folder.mkdir()
    for file in (here / "Imports").glob("*.swift"):
        (folder / file.name).write_text(file.read_text())
    (folder / "Other.swift").write_text(f"{line}\npublic func other() {{}}\n")
    (folder / "Middle.swift").write_text("import Low\npublic func middle() { other() }\n")
    target = meaning(folder, mode, "App", "Other.swift")
    failed = compile(folder, mode, "Low", "-emit-module", "Other.swift", "-o", "Low.swiftmodule")
    failed += compile(folder, mode, "Middle", "-emit-module", "Middle.swift", "-o", "Middle.swiftmodule")
    if "error:" in failed:
        sys.exit(failed)
    (folder / "Own.swift").write_text("import Middle\nfunc own() { middle() }\n")
    chain = meaning(folder, mode, "App", "Own.swift")
    if without is None:
        return target, chain
    places = [("another file of the target imports it", target, without[0]), ("a dependency imports it", chain, without[1])]
    whats = ["makes other code", "says other things of mistakes"]
    return [
        f"Where {place}, {name} {what} in the Swift {mode} mode."
        for place, found, expected in places
        for what, one, other in zip(whats, found, expected) if one != other]


def main():
    manifest = json.loads(subprocess.check_output(["swift", "package", "dump-package"], text=True))
    libraries = [product["name"] for product in manifest["products"] if "library" in product["type"]]
    failures = [f"{name} has no row in {__file__}." for name in libraries if name not in ROWS]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        root = pathlib.Path(name).resolve()
        (root / "Leak.swift").write_text(LEAK)
        compile(root, "6", "Leak", "-emit-module", "Leak.swift", "-o", "Leak.swiftmodule")
        without = {mode: differs(root, "nothing", mode, "", None) for mode in MODES}
        for code, said in sum(without.values(), ()):
            if "error:" in code or "sil @" not in code or "captured var 'sum'" not in said:
                sys.exit(f"Chains.swift is to compile, and Races.swift is to have a race:\n{code[:2000]}\n{said}")
        run = lambda name, line: [pool.submit(differs, root, name, mode, line, without[mode]) for mode in MODES]
        leaks = run("Leak", "import Leak")
        rows = [future for name in libraries if name in ROWS for future in run(name, ROWS[name])]
        found = [len(future.result()) for future in leaks]
        if found != [4, 4]:
            failures.append(f"The check notices {found} of the 4 changes that a leaking module makes in each mode.")
        failures += [line for future in rows for line in future.result()]
    print(f"{len(libraries)} products: importing one changes nothing in a file that does not.")
    if failures:
        sys.exit("\n".join(failures))


main()
