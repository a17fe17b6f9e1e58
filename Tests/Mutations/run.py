#!/usr/bin/env python3
"""Makes one mistake after another in a copy of the package, and checks whether the tests notice it; see README.md.

Fails if the tests don't notice a mistake, if a mistake of `edits` does not compile, or if there was no time for a mistake.
"""
import argparse
import collections
import fcntl
import filecmp
import functools
import itertools
import os
import pathlib
import random
import re
import runpy
import shutil
import signal
import subprocess
import sys
import threading
import time

import draw

here = pathlib.Path(__file__).resolve().parent
root = here.parents[1]
# The copy is in a folder that git and Swift ignore. It is kept, so that the next run builds only what has changed.
copy = root / ".build/mutations"

# `tests` is a pattern of names. These tests run first. All tests of the module run only if these notice nothing.
Edit = collections.namedtuple("Edit", "module name old new tests", defaults=[None])
edits = [
    Edit(path.stem, *edit) for path in sorted((here / "edits").glob("*.py")) for edit in runpy.run_path(path)["edits"]]


# MARK: Edits and files

@functools.cache
def texts(folder):
    """Returns the Swift files in a folder of the package, with their contents."""
    return {path: path.read_text() for path in sorted((root / folder).rglob("*.swift"))}


@functools.cache
def anchor(edit):
    """Returns a pattern that finds the code of an edit, regardless of how its lines are indented."""
    return re.compile(r"\n[ ]*".join(re.escape(line.strip(" ")) for line in edit.old.lstrip(" ").split("\n")))


def places(edit):
    """Returns the files of the module that contain the code of an edit. A file is repeated for each occurrence."""
    return [path for path, text in texts(f"Sources/{edit.module}").items() for _ in anchor(edit).finditer(text)]


def problem(edit):
    """Returns the reason why an edit cannot be tried, or None if it can."""
    if (count := len(places(edit))) != 1:
        return f"it is there {count} times: {edit.old.strip()}"
    for name in re.findall(r"\w+", edit.tests or ""):
        if not any(re.search(rf"\b{name}\b", text) for text in texts(f"Tests/{edit.module}Tests").values()):
            return f"there are no tests named {name}"


def git(*arguments):
    return subprocess.check_output(["git", *arguments], cwd=root, text=True).split("\0")[:-1]


def update_copy():
    """Updates the copy. Unchanged files keep their dates, so that they are not built again."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    wanted = {pathlib.Path(path) for path in listed if (root / path).is_file()}
    for path in wanted:
        if not (copy / path).exists() or not filecmp.cmp(root / path, copy / path, shallow=False):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / path, copy / path)
    for top in {path.parts[0] for path in wanted}:
        for path in (copy / top).rglob("*"):
            if path.is_file() and path.relative_to(copy) not in wanted:
                path.unlink()


# MARK: Builds and tests

def run(command, tests="", mutant="", limit=float("inf")):
    """Runs a command in the copy, and stops it at the first issue.

    Returns the exit status, the output, the time in seconds, and whether the command took too long.
    """
    begun, output = time.monotonic(), []
    ends = min(begun + limit, deadline)
    process = subprocess.Popen(
        [str(word) for word in command], cwd=copy, text=True, errors="replace", start_new_session=True,
        env=os.environ | {"PLEDGE_TESTS": tests, "PLEDGE_MUTANT": mutant, "NO_COLOR": "1"}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    timer = threading.Timer(min(max(0, ends - begun), threading.TIMEOUT_MAX), os.killpg, [process.pid, signal.SIGKILL])
    timer.start()
    try:
        for line in process.stdout:
            output.append(line)
            if " recorded an issue" in line:
                os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        timer.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    if (now := time.monotonic()) >= deadline:
        raise TimeoutError
    return process.returncode, output, now - begun, now >= ends


def pending(output):
    """Returns the names of the tests that had begun but not ended."""
    names = dict.fromkeys(name for line in output for name in re.findall(r"^◇ Test (?!run|case)(.*) started", line))
    return [name for name in names if not any(f" Test {name} " in line and "◇" not in line for line in output)]


def build(modules):
    return run(["swift", "build", "--build-tests"], ",".join(f"{module}Tests" for module in modules))


def test(module, tests, **options):
    words = ["--testing-library", "swift-testing", "--filter", f"^{module}Tests\\..*({tests or ''})"]
    return run([".build/debug/PledgePackageTests.xctest", *words], **options)


@functools.cache
def limit(module, tests):
    """Returns the time limit for tests, in seconds.

    It is a minute and a half more than twice the time that the tests take without a mistake, because the machine may be busy.
    """
    status, output, seconds, _ = test(module, tests)
    if status or not re.search(r"Test run with [1-9]\d* tests? .*passed", "".join(output)):
        sys.exit("".join(output[-20:]) + f"Without a mistake, these tests fail or do not exist: {tests or module}")
    return 90 + 2 * seconds


def noticed(module, tests=None, mutant=""):
    """Runs the tests against a mistake that is already built, and returns the outcome."""
    status, output, _, hangs = test(module, tests, mutant=mutant, limit=limit(module, tests))
    if hangs and not any(" recorded an issue" in line for line in output):
        return f"noticed: hangs in {', '.join(pending(output))}"
    return "noticed" if status else "survived"


def outcomes(chosen):
    """Yields each edit with its outcome. The edit's own tests run first. If they notice nothing, all tests of its module run."""
    for module, group in itertools.groupby(chosen, lambda edit: edit.module):
        group = list(group)
        status, output, *_ = build([module])
        if status:
            sys.exit("".join(output[-20:]) + f"Without a mistake, {module} or its tests do not build.")
        for edit in group:
            limit(module, edit.tests)
        limit(module, None)
        for edit in group:
            path = copy / places(edit)[0].relative_to(root)
            text = path.read_text()
            path.write_text(anchor(edit).sub(lambda _: edit.new, text))
            try:
                if build([module])[0]:
                    yield edit, "does not compile"
                    continue
                found = (noticed(module, tests) for tests in dict.fromkeys([edit.tests, None]))
                yield edit, next((outcome for outcome in found if outcome != "survived"), "survived")
            finally:
                path.write_text(text)


# MARK: Random mistakes

def drawn(count, seed, modules):
    """Yields this number of random mistakes that compile, each with its outcome."""
    files = {module.name: texts(f"Sources/{module.name}") for module in sorted((root / "Sources").iterdir())}
    sizes = {
        module: sum(map(len, found.values())) for module, found in files.items()
        if (root / f"Tests/{module}Tests").is_dir() and (not modules or module in modules)}
    shares = collections.Counter(random.Random(seed).choices(list(sizes), sizes.values(), k=count))
    print(f"seed {seed}")
    # More mistakes are drawn than are tried, because some do not compile.
    found = [
        edit for module, share in sorted(shares.items())
        for edit in draw.draw(files[module], share * 3 // 2 + 5, seed, module)]
    for module in shares:
        (copy / f"Sources/{module}/Mutant.swift").write_text(draw.switch)
    found = compiled(dict(enumerate(found)), [path for module in shares for path in files[module]], shares)
    for module, group in itertools.groupby(found.items(), lambda item: item[1].module):
        limit(module, None)
        for number, edit in itertools.islice(group, shares[module]):
            yield edit, noticed(module, mutant=str(number))


def compiled(found, paths, modules):
    """Builds all of these numbered mistakes at once, and returns those that compile."""
    while True:
        for path in paths:
            lines = path.read_text().split("\n")
            for number, edit in found.items():
                if edit.path == path:
                    lines[edit.number] = edit.line.replace("mutant(@)", f"mutant({number})")
            if (copied := copy / path.relative_to(root)).read_text() != (text := "\n".join(lines)):
                copied.write_text(text)
        status, output, *_ = build(modules)
        if not status:
            return found
        wrong = set()
        for path, line in set(re.findall(r"^(/\S+\.swift):(\d+):\d+: error: ", "".join(output), re.MULTILINE)):
            # The compiler may report an error in another line: for example, a mistake removes an assignment, and the error is
            # where the variable is read. So the nearest mistake is assumed to be the cause.
            path = root / pathlib.Path(path).relative_to(copy.resolve())
            near = {abs(edit.number + 1 - int(line)): number for number, edit in found.items() if edit.path == path}
            wrong |= {near[min(near)]} if near else set()
        if not wrong:
            sys.exit("".join(output[-20:]) + "The drawn mistakes do not build.")
        for number in wrong:
            print(f"does not compile: {found.pop(number).name}", flush=True)


def faults(chosen):
    """Yields the reasons why edits cannot be tried."""
    yield from (f"{edit.name}: {why}" for edit in chosen if (why := problem(edit)))
    if len({(edit.module, edit.name) for edit in edits}) < len(edits):
        yield "Two mistakes have the same name."


def main():
    global deadline
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="parts of names, or the tests of a module")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="BASE")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="give up after this time; 600 with --changed")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="draw as many by chance, from the modules named")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="the seed of the draw; by default, it depends on the day")
    options = parser.parse_args()
    if options.draw:
        options.words, modules = [], [word.removesuffix("Tests") for word in options.words]
        if unknown := [name for name in modules if not (root / f"Tests/{name}Tests").is_dir()]:
            sys.exit(f"There are no tests of {', '.join(unknown)}.")
    chosen = [
        edit for edit in edits
        if not options.words or any(word in edit.name or word == f"{edit.module}Tests" for word in options.words)]
    if options.words and not chosen:
        sys.exit("No mistake has any of these words in its name.")
    if options.changed:
        paths = {root / path for path in git("diff", "--name-only", "-z", options.changed)}
        # If the code of an edit is no longer there, its file is unknown. So it may be any file of the module.
        chosen = [edit for edit in chosen if paths & set(places(edit) or texts(f"Sources/{edit.module}"))]
    if misfits := list(faults(chosen)):
        sys.exit("\n".join(misfits))
    if options.check:
        return print(f"all {len(chosen)} mistakes fit")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    copy.mkdir(parents=True, exist_ok=True)
    with open(copy / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("Another run is using the copy.")
        update_copy()
        tried, is_over = {}, False
        deadline = time.monotonic() + (options.budget or (600 if options.changed else float("inf")))
        try:
            for edit, outcome in drawn(options.draw, options.seed, modules) if options.draw else outcomes(chosen):
                tried[edit] = outcome
                place = f"{edit.path.name}:{edit.number + 1}" if options.draw else places(edit)[0].name
                print(f"| {edit.module} | {edit.name} | `{place}` | {outcome} |", flush=True)
        except TimeoutError:
            is_over = True
    for edit in [] if options.draw else chosen:
        if edit not in tried:
            print(f"no time for: {edit.name}")
    for module, group in itertools.groupby(tried, lambda edit: edit.module):
        own = [tried[edit].split(" in ")[0] for edit in group]
        hung = own.count("noticed: hangs")
        print(f"{module}: {own.count('noticed')} of {len(own)} noticed, {hung} only by hanging")
    sys.exit(1 if is_over or not all(outcome.startswith("noticed") for outcome in tried.values()) else 0)


main()
