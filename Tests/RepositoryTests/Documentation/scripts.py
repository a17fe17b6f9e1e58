#!/usr/bin/env python3
"""Installs the package as the README says, in a separate folder, and runs every script of the documentation.

The scripts are the README's script, word for word, the scripts of the articles, and all playground pages. Each script is run
twice: the second time, its service refuses every request.

    python3 Tests/RepositoryTests/Documentation/scripts.py           # the working tree, committed or not; needs no network
    python3 Tests/RepositoryTests/Documentation/scripts.py Quick     # only scripts whose names begin with Quick

Every script must end with `waitOrExit`. It must print something and exit with 0. If the service refuses, the script must print
one line on standard error and exit with 1. In a batch, however, the refusal becomes the result of each account.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import check

root = check.root
work = root / ".build/scripts"
failures = []
# Replacements for articles that need an account: a sandbox, which doesn't know the token, takes the place of the service.
accounts = [
    ('ExistAPI(token: "…"', 'ExistAPI(token: "…", baseURL: sandbox.baseURL'),
    ("ExistAPI(token: account.token,", "ExistAPI(token: account.token, baseURL: sandbox.baseURL,"),
    ("MyDataHelpsClient()", "MyDataHelpsClient(baseURL: sandbox.baseURL)"),
    ('URL(string: "https://api.example.com/")!', "sandbox.baseURL"),
]


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, text=True, **options)


def clone():
    """Creates a bare repository whose branch `main` is the working tree, and returns the repository's path."""
    bare = work / "pledge.git"
    shutil.rmtree(bare, ignore_errors=True)
    run("git", "init", "--quiet", "--bare", "--initial-branch=main", bare)
    git = ["git", f"--git-dir={bare}", f"--work-tree={root}", "-c", "user.name=-", "-c", "user.email=-"]
    run(*git, "add", "--all", cwd=root)
    run(*git, "commit", "--quiet", "--message=The working tree", cwd=root)
    return bare


def refusable(script):
    """Returns a changed script, and the modes in which it can be run: True if its service refuses everything, False if not.

    The service refuses everything if the environment has the variable REFUSES, or if a sandbox takes the service's place.
    """
    if "import PledgeSandbox" not in script and any(old in script for old, _ in accounts):
        for old, new in accounts:
            script = script.replace(old, new)
        sandbox = "MyDataHelpsSandbox" if "MyDataHelpsKit" in script else "ExistSandbox"
        return f"import PledgeSandbox\nlet sandbox = try {sandbox}.start()\n{script}", [True]
    start = re.search(r"^(?:let (sandbox) = try \w+\.start|try server\.start)\(", script, re.M)
    if start is None:
        return script, [False]
    end, depth = start.end(), 1
    while depth:
        depth += {"(": 1, ")": -1}.get(script[end], 0)
        end += 1
    refusal = (
        '\nif ProcessInfo.processInfo.environment["REFUSES"] != nil {'
        f' {"sandbox.server" if start[1] else "server"}.script.next(.max, respond: .empty(403)) }}')
    return f"import Foundation\n{script[:end]}{refusal}{script[end:]}", [False, True]


def scripts():
    """Yields the name, place, text, and products of each script in the README and the articles."""
    for document in check.documents:
        for number, (line, text) in enumerate(check.programs(document.read_text()), 1):
            if re.search(r"waitOrExit|\bawait |\.wait\(|^\}\.(done|then|catch)", text, re.M) and "MainActor" not in text:
                products = re.findall(r"^import ((?:Pledge|Exist|MyData)\w*)$", text, re.M)
                yield f"{document.stem}-{number}", f"{document.relative_to(root)}:{line}", text, products


def pages():
    """Yields the name, place, text, and products of each playground page."""
    package = root / "Playgrounds"
    manifest = json.loads(run("swift", "package", "--package-path", package, "dump-package", capture_output=True).stdout)
    for target in manifest["targets"]:
        path = package / target["path"] / "Contents.swift"
        products = [dependency["product"][0] for dependency in target["dependencies"]]
        yield target["name"], path.relative_to(root), path.read_text(), products


def install(further):
    """Returns the manifest of a package that depends on this package as the README says, and has these further targets."""
    text = next(text for text in re.findall(r"```swift\n(.*?)```", (root / "README.md").read_text(), re.S) if ".package(" in text)
    dependency, target = text.split("// …\n")
    dependency = re.sub(r'(?<=url: ")[^"]*', str(clone()), dependency)
    return (
        "// swift-tools-version: 6.0\nimport PackageDescription\n\nlet package = Package(\n"
        f'    name: "Consumer",\n    platforms: [.macOS(.v12)],\n    dependencies: [\n{dependency}    ],\n'
        f"    targets: [\n{target}{''.join(further)}    ],\n    swiftLanguageModes: [.v6]\n)\n")


def main():
    consumer = work / "consumer"
    shutil.rmtree(consumer / "Sources", ignore_errors=True)
    targets, cases = [], []

    def add(name, text, products):
        (consumer / "Sources" / name).mkdir(parents=True)
        (consumer / "Sources" / name / "main.swift").write_text(text)
        if name != "Script":  # The README's own target.
            names = ", ".join(f'.product(name: "{product}", package: "pledge")' for product in sorted(set(products)))
            targets.append(f'.executableTarget(name: "{name}", dependencies: [{names}]),\n')

    for name, place, text, products in [*scripts(), *pages()]:
        top = "\n".join(re.findall(r"^(?!//)\S.*", text, re.M))
        if "waitOrExit()" not in top or re.search(r"\.wait\(|\bawait\b", top):
            failures.append(f"{place}: a script ends with waitOrExit, and awaits only in Promise {{ … }}.waitOrExit()")
        elif name.startswith("README-"):
            # Runs the script word for word, and a changed copy whose service refuses everything.
            asItStands = "Script" if name == "README-1" else name
            add(asItStands, text, products)
            add(f"{name}-refused", refusable(text)[0], products)
            cases += [(asItStands, text, False), (f"{name}-refused", text, True)]
        elif name.startswith(tuple(sys.argv[1:]) or ""):
            changed, modes = refusable(text)
            add(name, changed, [*products, *(["PledgeSandbox"] if True in modes else [])])
            cases += [(name, text, refuses) for refuses in modes]

    (consumer / "Package.swift").write_text(install(targets))
    # Forgets the resolved commit, because the branch has another commit each time.
    (consumer / "Package.resolved").unlink(missing_ok=True)
    place = ["--package-path", consumer, "--cache-path", work / "cache"]
    run("swift", "package", *place, "update", "--quiet")
    swift = ["swift", "build", *place, "-debug-info-format", "none"]
    run(*swift)
    programs = pathlib.Path(run(*swift, "--show-bin-path", capture_output=True).stdout.strip())

    def start(case):
        name, _, refuses = case
        folder = work / "folders" / f"{name}-{refuses}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        environment = {"PATH": os.environ["PATH"], "HOME": str(folder)} | ({"REFUSES": "1"} if refuses else {})
        return subprocess.run([programs / name], cwd=folder, env=environment, capture_output=True, text=True, timeout=3600)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, text, refuses), result in zip(cases, pool.map(start, cases)):
            isBatch = "Batch(" in text
            exits = 1 if refuses and not isBatch else 0
            isRight = result.returncode == exits and len(result.stderr.splitlines()) == exits
            if isBatch and refuses:
                isRight = isRight and re.search(r"40[13]|was refused", result.stdout) is not None
            elif not refuses:
                isRight = isRight and result.stdout != "" and "failure(" not in result.stdout
            if not isRight:
                words = result.stdout[-900:] + result.stderr[-900:]
                failures.append(f"{name}{', refused' if refuses else ''}: exit {result.returncode}\n{words}")
            elif name == "Script":
                print(result.stdout, end="")
    for failure in failures:
        print(failure)
    print(f"{len(cases)} runs of {len(targets) + 1} scripts, {len(failures)} of which did not go as the rule says")
    return len(failures) > 0 or len(sys.argv) == 1 and len(cases) < 40


if __name__ == "__main__":
    sys.exit(main())
