#!/usr/bin/env python3
"""Makes one mistake after another in a copy of the package, and looks whether the tests notice.

    python3 Tests/Mutations/run.py                  # all of them; hours
    python3 Tests/Mutations/run.py limiter          # those whose name contains one of the words
    python3 Tests/Mutations/run.py PledgeTests      # those of a module
    python3 Tests/Mutations/run.py --changed        # those whose file differs from the last commit, in ten minutes
    python3 Tests/Mutations/run.py --changed main   # those whose file differs from a branch, tag, or commit
    python3 Tests/Mutations/run.py --check          # only whether each fits its file, in a second
    python3 Tests/Mutations/run.py --draw 200       # as many mistakes that chance draws, of those that compile
    python3 Tests/Mutations/run.py --draw 20 --seed 7 PledgeBatch ExistKit

The mistakes are in `edits`, a file for each module. Prints a row of a table for each. Fails if a mistake went unnoticed
or does not compile, and if there was no time for one. What is drawn is tried against all tests of its module alone; a row of
`equivalent.md` says why a change that no test can notice is none.
"""
import argparse
import collections
import fcntl
import filecmp
import functools
import itertools
import os
import pathlib
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
# Where git and Swift do not look. It stays, so that the next run builds only what has changed.
copy = root / ".build/mutations"

# The tests are a pattern of names: they run first, and all of the module's only if they notice nothing.
Edit = collections.namedtuple("Edit", "module name old new tests", defaults=[None])
edits = [
    Edit(path.stem, *edit) for path in sorted((here / "edits").glob("*.py")) for edit in runpy.run_path(path)["edits"]]


class OutOfTime(Exception):
    pass


# MARK: Edits and files

@functools.cache
def texts(folder):
    """The Swift files in a folder of the package, with their contents."""
    return {path: path.read_text() for path in sorted((root / folder).rglob("*.swift"))}


@functools.cache
def anchor(edit):
    """Finds the text, however its lines are indented."""
    return re.compile(r"\n[ ]*".join(re.escape(line.strip(" ")) for line in edit.old.lstrip(" ").split("\n")))


def places(edit):
    """The files of the module that have the text, once for each time."""
    return [path for path, text in texts(f"Sources/{edit.module}").items() for _ in anchor(edit).finditer(text)]


def problem(edit):
    """Why an edit cannot be tried; None if it can."""
    if (count := len(places(edit))) != 1:
        return f"it is there {count} times: {edit.old.strip()}"
    for name in re.findall(r"\w+", edit.tests or ""):
        if not any(re.search(rf"\b{name}\b", text) for text in texts(f"Tests/{edit.module}Tests").values()):
            return f"there are no tests named {name}"


def has_changed(edit, paths):
    """Whether its file is among the paths; if it no longer fits, that may be any file of its module."""
    return bool(paths & set(places(edit) or texts(f"Sources/{edit.module}")))


def git(*arguments):
    return subprocess.check_output(["git", *arguments], cwd=root, text=True).split("\0")[:-1]


def update_copy():
    """Copies what has changed. Files that are equal keep their dates, so they are not built again."""
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

def run(command, edit, limit, ends=lambda line: False):
    """Runs a command in the copy, for the tests of the edit's module.

    Returns its status, what it wrote, and the seconds it took. The status is None if it was ended: after the limit, or
    after a line.
    """
    begun, output, is_ended = time.monotonic(), [], threading.Event()
    process = subprocess.Popen(
        command, cwd=copy, env=os.environ | {"PLEDGE_TESTS": f"{edit.module}Tests"}, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)

    def stop():
        if is_ended.is_set():
            return
        # Interrupted, `swift test` ends what it began; killed, it would leave that running.
        is_ended.set()
        process.send_signal(signal.SIGINT)
        kill.start()

    kill = threading.Timer(10, os.killpg, [process.pid, signal.SIGKILL])
    timer = threading.Timer(limit, stop)
    timer.start()
    try:
        for line in process.stdout:
            output.append(line)
            if ends(line):
                stop()
        status = process.wait()
        return None if is_ended.is_set() else status, output, time.monotonic() - begun
    finally:
        timer.cancel()
        if process.poll() is None:
            stop()
            process.wait()
        kill.cancel()


def has_issue(line):
    return " recorded an issue" in line


class Trials:
    """Tries edits, and gives up at the deadline."""

    def __init__(self, budget):
        self.deadline = time.monotonic() + budget if budget else float("inf")

    def run(self, command, edit, limit=float("inf"), ends=lambda line: False):
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime
        outcome = run(command, edit, min(limit, left, threading.TIMEOUT_MAX), ends)
        if outcome[0] is None and time.monotonic() >= self.deadline:
            raise OutOfTime
        return outcome

    def build(self, edit):
        return self.run(["swift", "build", "--build-tests"], edit)

    def test(self, edit, tests, limit=float("inf"), ends=lambda line: False):
        named = ["--filter", f"^{edit.module}Tests.*({tests})"] if tests else []
        return self.run(["swift", "test", "--skip-build", *named], edit, limit, ends)

    def undisturbed(self, edit, tests):
        """How long the tests take without a mistake."""
        status, output, seconds = self.test(edit, tests)
        if status or not re.search(r"Test run with [1-9]\d* tests? .*passed", "".join(output)):
            why = f"Without a mistake, these tests fail or do not exist: {tests or edit.module}"
            sys.exit("".join(output[-20:]) + why)
        return seconds

    def attempt(self, edit, tests, limit):
        """What became of a mistake: "noticed", "noticed: hangs", "does not compile", or "survived"."""
        path = copy / file(edit).relative_to(root)
        text = path.read_text()
        path.write_text(changed(edit, text))
        try:
            if self.build(edit)[0]:
                return "does not compile"
            status, output, _ = self.test(edit, tests, limit, has_issue)
            if status is None and not any(map(has_issue, output)):
                return "noticed: hangs"
            return "survived" if status == 0 else "noticed"
        finally:
            path.write_text(text)

    def drawn(self, count, seed, modules):
        """As many drawn mistakes as compile, each with its outcome."""
        files = {module.name: texts(f"Sources/{module.name}") for module in sorted((root / "Sources").iterdir())}
        sizes = {
            module: sum(map(len, found.values())) for module, found in files.items()
            if (root / f"Tests/{module}Tests").is_dir() and (not modules or module in modules)}
        judged = (here / "equivalent.md").read_text()
        for module, share in sorted(draw.shares(sizes, count, seed).items()):
            limit = None
            for edit in draw.draw(files[module], seed, module):
                if edit.name in judged:
                    continue
                if limit is None:
                    if self.build(edit)[0]:
                        sys.exit(f"Without a mistake, {module} or its tests do not build.")
                    limit = 60 + 2 * self.undisturbed(edit, None)
                outcome = self.attempt(edit, None, limit)
                if outcome != "does not compile":
                    yield edit, outcome
                    if not (share := share - 1):
                        break

    def outcomes(self, chosen):
        """Each edit with its outcome, by module; after those that their own tests notice, the others again."""
        rest = []
        for tried, is_last in ((chosen, False), (rest, True)):
            for module, group in itertools.groupby(tried, lambda edit: edit.module):
                group = list(group)
                status, output, _ = self.build(group[0])
                if status:
                    sys.exit("".join(output[-20:]) + f"Without a mistake, {module} or its tests do not build.")
                patterns = {edit: None if is_last else edit.tests for edit in group}
                # A minute more than twice as long as without a mistake is a hang: the machine may be busy.
                limits = {
                    tests: 60 + 2 * self.undisturbed(group[0], tests) for tests in dict.fromkeys(patterns.values())}
                for edit in group:
                    outcome = self.attempt(edit, patterns[edit], limits[patterns[edit]])
                    if outcome == "survived" and patterns[edit]:
                        rest.append(edit)
                    else:
                        yield edit, outcome


def file(edit):
    return edit.path if isinstance(edit, draw.Drawn) else next(iter(places(edit)), None)


def changed(edit, text):
    """The text of the edit's file with its mistake."""
    if not isinstance(edit, draw.Drawn):
        return anchor(edit).sub(lambda _: edit.new, text)
    lines = text.split("\n")
    lines[edit.number] = edit.line
    return "\n".join(lines)


def row(edit, outcome):
    place = (path := file(edit)) and path.name
    if isinstance(edit, draw.Drawn):
        place += f":{edit.number + 1}"
    return f"| {edit.module} | {edit.name} | `{place}` | {outcome} |"


def faults(chosen):
    """What keeps edits from being tried."""
    yield from (f"{edit.name}: {why}" for edit in chosen if (why := problem(edit)))
    if len({(edit.module, edit.name) for edit in edits}) < len(edits):
        yield "Two mistakes have the same name."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of names, or the tests of a module")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="BASE")
    parser.add_argument("--budget", type=float, metavar="SECONDS", help="give up after this time; 600 with --changed")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--draw", type=int, metavar="COUNT", help="draw mistakes by chance, from the modules that are named")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of what is drawn; the day's by default")
    options = parser.parse_args()
    if options.draw:
        options.words, modules = [], options.words
    chosen = [
        edit for edit in edits
        if not options.words or any(word in edit.name or word == f"{edit.module}Tests" for word in options.words)]
    if options.words and not chosen:
        sys.exit("No mistake has any of these words in its name.")
    if options.changed:
        paths = {root / path for path in git("diff", "--name-only", "-z", options.changed)}
        chosen = [edit for edit in chosen if has_changed(edit, paths)]
    if options.check:
        found = list(faults(chosen))
        sys.exit("\n".join(found)) if found else print(f"all {len(chosen)} mistakes fit")
        return
    if misfits := list(faults(chosen)):
        sys.exit("\n".join(misfits))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    copy.mkdir(parents=True, exist_ok=True)
    with open(copy / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("Another run is using the copy.")
        update_copy()
        outcomes, is_over = {}, False
        try:
            trials = Trials(options.budget or (600 if options.changed else None))
            if options.draw:
                print(f"seed {options.seed}", flush=True)
                chosen, found = [], trials.drawn(options.draw, options.seed, modules)
            else:
                found = trials.outcomes(chosen)
            for edit, outcome in found:
                outcomes[edit] = outcome
                print(row(edit, outcome), flush=True)
        except OutOfTime:
            is_over = True
    for edit in chosen:
        if edit not in outcomes:
            print(f"no time for: {edit.name}")
    for module in dict.fromkeys(edit.module for edit in outcomes):
        own = [outcome for edit, outcome in outcomes.items() if edit.module == module]
        print(f"{module}: {own.count('noticed')} of {len(own)} noticed, {own.count('noticed: hangs')} only by hanging")
    sys.exit(1 if is_over or not set(outcomes.values()) <= {"noticed", "noticed: hangs"} else 0)


main()
