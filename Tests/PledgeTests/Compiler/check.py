"""Checks what the compiler says about chains.

Run this script from the package's folder, after `swift build`. It needs only Swift and Python.

- Mistakes/: functions that must not compile. Above each stands what the compiler's first message about it must contain.
- Handbook.swift: chains like those in PromiseKit's handbook, which must type-check quickly with each of the two modules.
- TopLevelAwait.swift: the top level of a script, where a call without a result must not silently create a promise.
- DefaultIsolation.swift: chains of an app whose default isolation is the main actor.
- Screens/: screens that name no queue. They must compile in both language modes, and with that default isolation.
- Handles.swift: objects that `onCancel` stops. Guarantees.swift: values in code for PromiseKit that are not Sendable.
- Names/: how files name PromiseKit's declarations, and what the compiler says to files that lack the right import.
- The public calls of both kits, from the lists of symbols: the compiler must warn if the promise of a call is unused.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
products = pathlib.Path(subprocess.check_output(["swift", "build", "--show-bin-path"], text=True).strip())
flags = ["-swift-version", "6", "-parse-as-library", "-I", products / "Modules"]
# The compiler finds a module written in C only by its module map.
flags += [f"-Xcc=-fmodule-map-file={map}".replace("=", "\n", 1) for map in products.glob("Pledge*.build/module.modulemap")]
flags = [part for flag in flags for part in str(flag).split("\n")]
# Words from the internals of Pledge or the compiler. The message about a typo must not contain any of them.
UNWANTED = ["_Holder", "Storage", "Thenable", "Unfailing", "data races", "unable to type-check", "failed to produce diagnostic"]
# How many trials the type checker may make for a chain: 16,000 take about a tenth of a second. This limits trials and not
# milliseconds, because the number of trials doesn't depend on the load of the machine.
TRIALS = 16000

failures = []


def output(*arguments):
    command = ["swiftc", *([] if "-emit-sil" in arguments else ["-typecheck"]), *flags, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def messages_of(output):
    """Returns the compiler's messages, each as file, line, kind, and text."""
    pattern = re.compile(r"^(/[^:]*):(\d+):\d+: (error|warning): (.*)$", re.M)
    if "error: " in output and not pattern.search(output):
        sys.exit(output)
    return [(pathlib.Path(file).name, int(line), kind, text) for file, line, kind, text in pattern.findall(output)]


def compile(*arguments):
    return messages_of(output(*arguments))


def check_mistakes():
    folder = (here / "Mistakes").resolve()
    messages = compile("-wmo", "-module-name", "Mistakes", *folder.glob("*.swift"))
    headings = (here / "../../../Sources/Pledge/Pledge.docc/Troubleshooting.md").read_text()
    headings = [re.escape(line[3:]).replace("…", ".*") for line in headings.split("\n") if line.startswith("## ")]
    count, blamed = 0, 0
    for path in sorted(folder.glob("*.swift")):
        text = path.read_text()
        begins = [*re.finditer(r"^// (error|warning): (.+)$", text, re.M)]
        for begin, end in zip(begins, [*(other.start() for other in begins[1:]), len(text)]):
            kind, words = begin.groups()
            program = text[begin.start():end]
            name = re.search(r"func (\w+)", program)[1]
            lines = range(text.count("\n", 0, begin.start()) + 1, text.count("\n", 0, end) + 1)
            said = [(kind, said) for file, line, kind, said in messages if file == path.name and line in lines]
            # An error before a warning, as `min` returns the first of equal ones.
            found = min(said, key=lambda message: message[0] != "error", default=None)
            is_swifts = re.search(r"^// Swift ", program, re.M) is not None
            count, blamed = count + 1, blamed + is_swifts
            is_clear = not is_swifts and name.startswith(("typo", "guarantee", "model", "mainActorTypo"))
            if found is None or found[0] != kind or words not in found[1]:
                failures.append(f"{name} should say “{kind}: {words}”, but says {found}")
            elif is_clear and any(word in found[1] for word in UNWANTED if word not in words):
                failures.append(f"{name} says too much: {found}")
            elif is_swifts and not any(re.search(heading, found[1]) for heading in headings):
                failures.append(f"{name}: Troubleshooting has no heading for “{found[1]}”")
    print(f"{count} mistakes, each named by the compiler's first message; {blamed} of them in words that only Swift could improve.")


def check_handbook():
    for words in ["import Pledge", "@_spi(PromiseKit) import PledgePromiseKit"]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Handbook.swift"
            file.write_text((here / "Handbook.swift").read_text().replace("import Pledge\n", words + "\n"))
            limits = ["-solver-scope-threshold=%d" % TRIALS, "-warn-long-expression-type-checking=1"]
            messages = compile(*[part for limit in limits for part in ("-Xfrontend", limit)], file)
        times = [int(took[1]) for *_, text in messages if (took := re.match(r"expression took (\d+)ms", text))]
        failures.extend(
            f"Handbook.swift:{line}, with {words}: {text}" for _, line, kind, text in messages if kind == "error")
        print(f"Chains of the handbook with {words}: the longest takes {max(times, default=0)} ms to type-check.")


def has_default_isolation():
    return not subprocess.run(["swiftc", "-default-isolation", "MainActor", "--version"], capture_output=True).returncode


def check_unused():
    for kit in ["ExistKit", "MyDataHelpsKit"]:
        symbols = (here / f"../../RepositoryTests/PublicSymbols/{kit}.txt").read_text()
        call = re.compile(
            r"^(\w+)\.\S+: (?:@\w+ )*(static )?func (\w+)(<.*?>)?\((.*)\) -> (?:Promise|Guarantee)<.*?>( where .*)?$", re.M)
        calls = list(call.finditer(symbols))
        text = f"import {kit}\nimport Foundation\n"
        for number, (type, static, name, generics, signature, clause) in enumerate(
                found.groups(default="") for found in calls):
            # Splits the parameters at commas outside brackets, and leaves out default values.
            parts, depth = [""], 0
            for character in signature.replace("->", "→"):
                depth += (character in "([{<") - (character in ")]}>")
                parts = [*parts, ""] if character == "," and depth == 0 else [*parts[:-1], parts[-1] + character]
            parts = [part.split(" = ")[0].strip().replace("→", "->") for part in parts if part]
            labels = [part.split(":")[0].split() for part in parts]
            arguments = ", ".join(l[-1] if l[0] == "_" else f"{l[0]}: {l[-1]}" for l in labels)
            text += f"func call{number}{generics}({', '.join([f'_ receiver: {type}', *parts])}){clause} {{\n"
            text += f"    {type if static else 'receiver'}.{name}({arguments})\n}}\n"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Calls.swift"
            file.write_text(text)
            messages = compile(file)
        lines = text.split("\n")
        failures.extend(f"{kit}: {lines[line - 1].strip()}: {words}" for _, line, kind, words in messages if kind == "error")
        warned = {line for _, line, _, words in messages if re.match("result of call to '.*' is unused", words)}
        silent = [line.strip() for number, line in enumerate(lines, 1) if line.startswith("    ") and number not in warned]
        failures.extend(f"{kit}: no warning if the promise of {line} is unused" for line in silent)
        if len(calls) < 20:
            failures.append(f"{kit}: the list has only {len(calls)} calls")
        print(f"{len(calls)} calls of {kit}: the compiler warns if the promise is unused.")


def check_default_isolation():
    if not has_default_isolation():
        return print("This compiler has no default isolation.")
    file = here / "DefaultIsolation.swift"
    lines = file.read_text().split("\n")
    # Above a chain that Swift forbids, a comment contains the expected error.
    expected = {number + 2: line.split("error: ")[1] for number, line in enumerate(lines) if "// " in line and "error: " in line}
    messages = compile("-default-isolation", "MainActor", file)
    for _, line, kind, text in messages:
        if kind == "error" and expected.pop(line, "?") not in text:
            failures.append(f"DefaultIsolation.swift:{line}: {text}")
    failures.extend(f"DefaultIsolation.swift:{line} compiles" for line in expected)
    chains = len(re.findall(r"func chain\d+", "\n".join(lines)))
    print(f"{chains} chains of an app whose default isolation is the main actor.")


def check_top_level():
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "main.swift"
        script.write_text((here / "TopLevelAwait.swift").read_text())
        # Leaves out this flag, because a library has no top level.
        command = ["swiftc", "-typecheck", *(flag for flag in flags if flag != "-parse-as-library"), str(script)]
        output = subprocess.run(command, capture_output=True, text=True).stderr
    lines = (here / "TopLevelAwait.swift").read_text().split("\n")
    expected = {number for number, line in enumerate(lines, 1) if line.startswith("try await")}
    found = {int(line) for line in re.findall(r"main.swift:(\d+):\d+: error: .* unavailable from asynchronous contexts", output)}
    others = re.findall(r"main.swift:\d+:\d+: error: (?!.* unavailable from asynchronous contexts)(.*)", output)
    if found != expected or others:
        failures.append(f"TopLevelAwait.swift: errors in {sorted(found)} instead of {sorted(expected)}, and {others}")
    print(f"{len(expected)} calls without a result, which are an error at the top level of a script.")


def check_programs():
    """Compiles programs further than the type check, because the compiler finds some races only after that."""
    screens, swift5, swift6 = sorted((here / "Screens").glob("*.swift")), ["-swift-version", "5"], ["-swift-version", "6"]
    programs = [(screens, swift5), (screens, swift6), ([here / "Guarantees.swift"], swift5)]
    if has_default_isolation():
        # `onCancel` takes closures that are not Sendable since the same compiler version that introduced default isolation.
        programs += [(screens, [*swift6, "-default-isolation", "MainActor"])]
        programs += [([here / "Handles.swift"], mode) for mode in (swift5, swift6)]
    for files, options in programs:
        for file, line, kind, text in compile("-emit-sil", "-wmo", "-module-name", "Programs", "-o", "/dev/null", *options, *files):
            # The Swift 5 mode gives this warning for a method that is passed as a handler.
            if options != swift5 or "converting non-Sendable function value" not in text:
                failures.append(f"{file}:{line}, with {' '.join(options)}: {text}")
    failures.extend(f"{screen.name} names a queue" for screen in screens if re.search(r"[(]on: (?!\.global)", screen.read_text()))
    print(f"{len(screens)} files of screens that name no queue, in {len([1 for files, _ in programs if files == screens])} ways.")


def check_names():
    programs = sorted((here / "Names").glob("*.swift"))
    for program in programs:
        expected = re.findall(r"^// (error|warning): (.+)$", program.read_text(), re.M)
        for options in ["5"], ["6"], ["6", "-enable-upcoming-feature", "MemberImportVisibility"]:
            said = output("-swift-version", *options, program)
            found = [(kind, text) for *_, kind, text in messages_of(said)]
            if not all(any(kind == k and words in text for k, text in found) for kind, words in expected):
                failures.append(f"Names/{program.name}, with {' '.join(options)}, should say {expected}, but says {found}")
            # The advice may be in the message itself, or in the declaration that the message shows.
            if bool(expected) != ("`@_spi(PromiseKit) import PledgePromiseKit`" in said) or bool(expected) != bool(found):
                failures.append(f"Names/{program.name}, with {' '.join(options)}: {said}")
    print(f"{len(programs)} ways to name PromiseKit's declarations.")


check_mistakes()
check_handbook()
check_top_level()
check_default_isolation()
check_programs()
check_names()
check_unused()
if failures:
    sys.exit("\n".join(failures))
