#!/usr/bin/env python3
"""Compiles the Swift code in README, CONTRIBUTING, and the articles, word for word, with the modules of a debug build.

A block is a program of its own, unless the line before it has one of these marks:

    <!-- continues -->   the block continues the previous block, as if both were pasted into one file
    <!-- part -->        the block needs code that only the reader has; `ArticleTests` checks that it is compiled elsewhere
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parents[3]
documents = [root / "README.md", root / ".github/CONTRIBUTING.md", *sorted(root.glob("Sources/*/*.docc/*.md"))]
block = re.compile(r"^ *([^\n]*)\n *```swift\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def programs(text):
    """Yields the line and the text of each program in a document."""
    found = []
    for match in block.finditer(text):
        marks = set(re.findall(r"\w+", match[1])) if match[1].startswith("<!--") else set()
        if "part" in marks:
            continue
        if "continues" in marks and found:
            found[-1] = (found[-1][0], found[-1][1] + "\n" + match[2])
        else:
            found.append((text[: match.start(2)].count("\n"), match[2]))
    return found


def main():
    modules = pathlib.Path(
        subprocess.run(["swift", "build", "--show-bin-path"], cwd=root, check=True, capture_output=True, text=True)
        .stdout.strip())
    maps = [f"-fmodule-map-file={path}" for path in sorted(modules.glob("*.build/module.modulemap"))]
    options = ["-typecheck", "-swift-version", "6", "-I", modules / "Modules", *(x for m in maps for x in ("-Xcc", m))]
    cases = [
        (document, line, text) for document in documents for line, text in programs(document.read_text())]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:

        def compile(number):
            file = pathlib.Path(folder, str(number), "main.swift")
            file.parent.mkdir()
            file.write_text(cases[number][2])
            return subprocess.run(["swiftc", *options, file], capture_output=True, text=True)

        failures = 0
        for (document, line, _), result in zip(cases, pool.map(compile, range(len(cases)))):
            if result.returncode or "warning:" in result.stderr:
                failures += 1
                print(f"{document.relative_to(root)}:{line}: does not compile as it stands\n{result.stderr}")
    print(f"{len(cases)} programs in the documentation, {failures} of which do not compile")
    return failures > 0 or len(cases) < 15


if __name__ == "__main__":
    sys.exit(main())
