"""What the compiler says of chains. Run it from the package's folder, after `swift build`; needs only Swift and Python.

- Mistakes/: programs that must not compile, each with the words that the compiler's first message must contain.
- Handbook.swift: chains as in PromiseKit's handbook, which must type-check in a moment with either module.
- TopLevelAwait.swift: the top level of a script, where a call without a result must not silently make a promise.
- DefaultIsolation.swift: chains of an app whose default isolation is the main actor, with PledgeMainActor.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).parent
products = pathlib.Path(subprocess.check_output(["swift", "build", "--show-bin-path"], text=True).strip())
flags = ["-swift-version", "6", "-parse-as-library", "-I", products / "Modules"]
# A module in C is found by its map alone.
flags += [f"-Xcc=-fmodule-map-file={map}".replace("=", "\n", 1) for map in products.glob("Pledge*.build/module.modulemap")]
flags = [part for flag in flags for part in str(flag).split("\n")]
# Words that only the insides of Pledge or the compiler have: a typo's message has none of them.
UNWANTED = ["_Holder", "Storage", "Thenable", "Unfailing", "data races", "unable to type-check", "failed to produce diagnostic"]
# Trials of the type checker per chain: 16,000 take about a tenth of a second. A number of these rather than
# milliseconds, because it doesn't depend on the load of the machine.
TRIALS = 16000

failures = []


def compile(*arguments):
    """Returns the compiler's messages: file, line, kind, text."""
    command = ["swiftc", "-typecheck", *flags, *map(str, arguments)]
    output = subprocess.run(command, capture_output=True, text=True).stderr
    pattern = re.compile(r"^(/[^:]*):(\d+):\d+: (error|warning): (.*)$", re.M)
    if "error: " in output and not pattern.search(output):
        sys.exit(output)
    return [(pathlib.Path(file).name, int(line), kind, text) for file, line, kind, text in pattern.findall(output)]


def check_mistakes():
    first = {}
    for file, _, kind, text in compile("-wmo", "-module-name", "Mistakes", *(here / "Mistakes").resolve().glob("*.swift")):
        if file not in first or (first[file][0], kind) == ("warning", "error"):
            first[file] = (kind, text)
    headings = (here / "../../../Sources/Pledge/Pledge.docc/Troubleshooting.md").read_text()
    headings = [re.escape(line[3:]).replace("…", ".*") for line in headings.split("\n") if line.startswith("## ")]
    programs = sorted(file for file in (here / "Mistakes").glob("*.swift") if file.stem != "Declarations")
    blamed = 0
    for program in programs:
        kind, words = re.search(r"^// (error|warning): (.+)$", program.read_text(), re.M).groups()
        isSwifts = re.search(r"^// Swift ", program.read_text(), re.M) is not None
        blamed += isSwifts
        found = first.get(program.name)
        unwanted = [] if isSwifts or not program.stem.startswith(("Typo", "Guarantee", "Model")) else UNWANTED
        if found is None or found[0] != kind or words not in found[1]:
            failures.append(f"Mistakes/{program.name} should say “{kind}: {words}”, but says {found}")
        elif any(word in found[1] for word in unwanted if word not in words):
            failures.append(f"Mistakes/{program.name} says too much: {found}")
        elif isSwifts and not any(re.search(heading, found[1]) for heading in headings):
            failures.append(f"Mistakes/{program.name}: Troubleshooting has no heading for “{found[1]}”")
    print(f"{len(programs)} mistakes, each named by the compiler's first message; {blamed} of them in words that only Swift could improve.")


def check_handbook():
    for module in ["Pledge", "PledgeMainActor", "PledgePromiseKit"]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Handbook.swift"
            file.write_text((here / "Handbook.swift").read_text().replace("import Pledge\n", f"import {module}\n"))
            limits = ["-solver-scope-threshold=%d" % TRIALS, "-warn-long-expression-type-checking=1"]
            messages = compile(*[part for limit in limits for part in ("-Xfrontend", limit)], file)
        times = [int(took[1]) for *_, text in messages if (took := re.match(r"expression took (\d+)ms", text))]
        failures.extend(
            f"Handbook.swift:{line}, with {module}: {text}" for _, line, kind, text in messages if kind == "error")
        print(f"Chains of the handbook with {module}: the longest takes {max(times, default=0)} ms to type-check.")


def check_default_isolation():
    if subprocess.run(
        ["swiftc", "-default-isolation", "MainActor", "--version"], capture_output=True
    ).returncode:
        return print("This compiler has no default isolation.")
    file = here / "DefaultIsolation.swift"
    lines = file.read_text().split("\n")
    # A chain that Swift forbids has the reason above it.
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
        # A library has no top level.
        command = ["swiftc", "-typecheck", *(flag for flag in flags if flag != "-parse-as-library"), str(script)]
        output = subprocess.run(command, capture_output=True, text=True).stderr
    lines = (here / "TopLevelAwait.swift").read_text().split("\n")
    expected = {number for number, line in enumerate(lines, 1) if line.startswith("try await")}
    found = {int(line) for line in re.findall(r"main.swift:(\d+):\d+: error: .* unavailable from asynchronous contexts", output)}
    others = re.findall(r"main.swift:\d+:\d+: error: (?!.* unavailable from asynchronous contexts)(.*)", output)
    if found != expected or others:
        failures.append(f"TopLevelAwait.swift: errors in {sorted(found)} instead of {sorted(expected)}, and {others}")
    print(f"{len(expected)} calls without a result, which are an error at the top level of a script.")


check_mistakes()
check_handbook()
check_top_level()
check_default_isolation()
if failures:
    sys.exit("\n".join(failures))
