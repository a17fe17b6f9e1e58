#!/usr/bin/env python3
"""Makes one mistake after another in Pledge, PledgeHTTP, and the kits, and looks whether the tests notice.

    python3 Tests/Mutations/run.py                  # all of them; two hours and more
    python3 Tests/Mutations/run.py limiter          # those whose name contains one of the words
    python3 Tests/Mutations/run.py PledgeTests      # those of a module
    python3 Tests/Mutations/run.py --changed        # those whose file differs from the last commit
    python3 Tests/Mutations/run.py --changed main   # those whose file differs from a branch, tag, or commit
    python3 Tests/Mutations/run.py --check          # only whether each edit still fits its file, in a second

Works on a clean checkout, and leaves it clean. Prints the table for README.md; fails if a mistake went unnoticed.
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import threading

root = pathlib.Path(__file__).resolve().parents[2]

# Name, what stands once in the module, what stands there instead, the module's tests.
PLEDGE, HTTP, EXIST, MDH = "PledgeTests", "PledgeHTTPTests", "ExistKitTests", "MyDataHelpsKitTests"
edits = [
    ("a cancel leaves what it waits for without canceling it", "steps += promise.uncountAtSource().map { ($0, nil) }",
     "_ = promise.uncountAtSource()", PLEDGE),
    ("an ensure that runs at once runs again later", "            let handler = leaveSource()\n",
     "            let handler = source.withState({ $0.change(self.state.ticket) { $0 } })\n", PLEDGE),
    ("dependents don't stop a cancel", "|| counted == 0 && !has(.shared)", "|| !has(.shared)", PLEDGE),
    ("who shares a promise cancels it", "counted == 0 && !has(.shared)", "counted == 0", PLEDGE),
    ("a join keeps its losers", "        let left = end()\n", "        let left = waited().map(\\.0)\n", PLEDGE),
    ("a cancel that comes before the source is known doesn't reach it",
     "        if isPending ? !uncountAtSource().isEmpty : source.release(ticket) != nil { source.cancel(unlessAwaited: true) }\n",
     "        _ = isPending\n", PLEDGE),
    ("a handler keeps its canceled promise alive", "{ [weak promise = work.promise] _ in promise.map(body) }",
     "{ [promise = work.promise] _ in body(promise) }", PLEDGE),
    ("the handlers of a queue share a block",
     "                if queue.submits(work) { continue }\n",
     """                if case .dispatch(let target, let flags) = queue {
                    var block = [work]
                    for other in due.indices {
                        guard case .dispatch(let its, _)? = due[other].handler?.queue(after: outcome), its === target
                        else { continue }
                        block.append(contentsOf: due[other].handler.take().map { [$0.work] } ?? [])
                    }
                    target.async(flags: flags) { [block] in Trampoline.pause { for work in block { work.run() } } }
                    continue
                }
                if queue.submits(work) { continue }
""", PLEDGE),
    ("the first handler of several comes last", "due.insert((first, 0), at: 0)", "due.append((first, 0))", PLEDGE),
    ("a handler overtakes those that are being sent", "{ !has(.sending) && !(isInline", "{ !(isInline", PLEDGE),
    ("an inline handler overtakes those that have yet to run", " && !(isInline && has(.inlining))", "", PLEDGE),
    ("nobody knows that inline handlers have yet to run", "                isInlining = isInlining || queue.isInline\n", "", PLEDGE),
    ("nobody knows that the only inline handler has yet to run", "        if isInlining { state.set(.inlining) }\n", "",
     PLEDGE),
    ("inline handlers are waited for forever", "marks.subtract([.sending, .inlining])",
     "marks.remove(.sending)", PLEDGE),
    ("inline handlers run before the others are sent",
     "                Trampoline.run(work)\n", "                Trampoline.run(work, now: true)\n", PLEDGE),
    ("a handler is sent only after unlocking",
     "        if queue.submits(work) { return unlock() }\n",
     """        if case .passing = queue {} else if !queue.isInline {
            unlock()
            return _ = queue.submits(work)
        }
""", PLEDGE),
    ("flags are ignored", "async(flags: flags) { Trampoline.pause", "async { Trampoline.pause", PLEDGE),
    ("what follows a wait is no longer a step", "        defer { here = list }\n", "", PLEDGE),
    ("a cancel runs no hooks", "        return takeHooks()\n", "        return []\n", PLEDGE),
    ("hooks outlive their promise", "(state.takeSource(), state.takeHooks())", "(state.takeSource(), [Run]())", PLEDGE),
    ("an error that a handler saw is reported", "        marks.insert(.observed)\n        if rare", "        if rare", PLEDGE),
    ("an error that was adopted is reported twice", "        inner.withState { $0.set(.observed) }\n", "", PLEDGE),
    ("the errors of a join's losers are reported", "for input in left where handlesOtherErrors {",
     "for input in left where !handlesOtherErrors {", PLEDGE),
    ("what follows a canceled promise doesn't wait for a cleanup further up",
     "func unwinds(isGuarantee: Bool) -> Bool { isUnwinding }", "func unwinds(isGuarantee: Bool) -> Bool { false }", PLEDGE),
    ("what follows a join doesn't wait for its cleanup", "        return missing > 0\n    }\n}",
     "        return false\n    }\n}", PLEDGE),
    ("a timeout waits for a cleanup", "source?.unwinds(isGuarantee: isGuarantee) == true, waits {",
     "source?.unwinds(isGuarantee: isGuarantee) == true {", PLEDGE),
    ("a cleanup waits for a source that goes on",
     "source.isPending, !source.isCancelled,", "source.isPending, !isPending,", PLEDGE),
    ("a canceled race ends with the first cleanup", "isEarly && !isCanceling ? 0", "isEarly ? 0", PLEDGE),
    ("a canceled guarantee rejects", "if hooks != nil, !state.has(.guarantee) { failure = error }",
     "if hooks != nil { failure = error }", PLEDGE),
    ("a removed handler still counts", "        tally(former, -1)\n", "", PLEDGE),
    ("a handler isn't found by its ticket", "entries[middle].ticket < ticket", "entries[middle].ticket <= ticket", PLEDGE),
    ("a settled promise waits", "        guard phase == .pending else { return nil }\n        defer { self.source", "        defer { self.source",
     PLEDGE),
    ("a long chain is released recursively", "Trampoline.run(consume parting)", "(consume parting).run()", PLEDGE),
    ("a loop of inline closures recurses", "here.pointee.depth >= 32", "here.pointee.depth == .max", PLEDGE),
    ("the default queue stops after a turn", "            work.run()\n        }\n        queue.async { self.drain() }\n",
     "            work.run()\n        }\n", PLEDGE),
    ("a full ring buffer grows out of order", "(0..<count).map { slots[place($0)] }", "Array(slots)", PLEDGE),
    ("one promise too many is under way", "underway.count < limit", "underway.count <= limit", PLEDGE),
    ("a promise that has settled is under way forever",
     "if underway[index] != nil { underway[index] = isLate", "do { underway[index] = isLate", PLEDGE),
    ("promises are created after an error has decided", "        isStopped = true\n", "", PLEDGE),
    ("what is no longer wanted is begun, and not canceled", "                abandon(promise.storage)\n                continue\n",
     "                continue\n", PLEDGE),
    ("a retry makes one attempt too many", "number < attempts, !error", "number <= attempts, !error", PLEDGE),
    ("a timeout ignores an outcome in time", "if source.storage.isPending {\n                output", "do {\n                output", PLEDGE),
    ("a shared renewal is not kept alive", "            promise.pipe { _ in }\n", "", HTTP),
    ("everybody who waits begins the work",
     "if let latest, latest.isPending { return (latest, nil) }", "", HTTP),
    ("a shared promise is handed to all", "return Promise(outcome)", "return outcome", HTTP),
    ("a 401 is renewed for again and again", " && !state.hasRenewed", "", HTTP),
    ("what may not be repeated is repeated after an answer",
     "if isRepeatable,\n                let delay = rule.delay(after: state.attempt, waited: state.waited, reply: (",
     "if let delay = rule.delay(after: state.attempt, waited: state.waited, reply: (", HTTP),
    ("what may not be repeated is repeated after a lost line",
     "if isRepeatable, error.isTransient,", "if error.isTransient,", HTTP),
    ("an untrusted host is asked again", ".timedOut, .stalled: true\n        case .untrusted, ",
     ".timedOut, .stalled, .untrusted: true\n        case ", HTTP),
    ("a redirect leads to another origin", "origin == Origin(state.url), ", "", HTTP),
    ("a write is led on", "guard method == .get, let origin", "guard let origin", HTTP),
    ("redirects go round for ever", "state.redirects < mostRedirects", "true", HTTP),
    ("a port is taken for another",
     'self.port = port == ["http": 80, "https": 443][self.scheme] ? nil : port', "self.port = nil", HTTP),
    ("a port that is none is let through", "if port == nil, !digits.isEmpty { return nil }", "", HTTP),
    ("any host that begins with 127 is this machine",
     'parts.count == 4 && parts[0] == "127"', 'parts[0] == "127"', HTTP),
    ("a base address may name a user",
     'guard !origin.namesUser else { throw unsendable("the URL contains a user name") }', "", HTTP),
    ("a path may lead to another host",
     "guard url.absoluteString.utf8.starts(with: base.utf8) else {", "guard true else {", HTTP),
    ("a token goes over plain http", "guard origin.mayCarrySecrets else {", "guard true else {",
     HTTP),
    ("a token that no header can carry is sent",
     "guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {", "guard true else {", HTTP),
    ("the echo of a token is shown in an error",
     "hiding: request.map { Secrets($0) } ?? .none)", "hiding: .none)", HTTP),
    ("a token source that is gone is asked",
     "let strong = self == .strong ? object : nil", "let strong: Object? = object", HTTP),
    ("the limiter lets one more go", "if state.sent.count >= limit,", "if state.sent.count > limit,",
     HTTP),
    ("the limiter forgets that nothing is left", "if announced?.remaining == 0, let resetsAt", "if false, let resetsAt",
     HTTP),
    ("the limiter forgets a 429",
     "if status == 429 { closing = wait ?? Self.bareWait } else { state.trialUntil = nil }",
     "if status != 429 { state.trialUntil = nil }", HTTP),
    ("pages in a circle have no end", ".inserted else { return isCircle = true }",
     ".inserted || true else { return isCircle = true }", HTTP),
    ("a refresh token is not carried over",
     "token.refreshToken = fresh.refreshToken ?? old.refreshToken", "token.refreshToken = fresh.refreshToken", EXIST),
    ("a new pair is used before it is stored",
     "return store(kept).map(on: nil) { kept.accessToken }", "_ = store(kept)\n                return .value(kept.accessToken)",
     EXIST),
    ("an expired token is used", "expiresAt.map { $0 <= date } ?? false", "false", EXIST),
    ("a write sends one item too many", "static let batchLimit = 35", "static let batchLimit = 36", EXIST),
    ("a failed write counts its own items as answered", "IndexSet(0..<range.lowerBound)",
     "IndexSet(0..<range.upperBound)", EXIST),
    ("an increment is repeated", 'write("attributes/increment/", items, isRepeatable: false)',
     'write("attributes/increment/", items, isRepeatable: true)', EXIST),
    ("an account is looked at once", "account.status.isFinal && isSure", "account.status.isFinal", MDH),
    ("the wait between looks does not grow", "max(wait, 0.1) * 1.5", "max(wait, 0.1)", MDH),
    ("the minute before the end is no margin", "min(-lifetime / 5, -min(60, lifetime))",
     "-lifetime / 5", MDH),
    ("a refused token is handed out again", "if token?.value == rejected { token = nil }", "", MDH),
]


def places(edit):
    """The files of the module that have the text, once for each time."""
    _, old, _, suite = edit
    files = (root / "Sources" / suite.removesuffix("Tests")).rglob("*.swift")
    return [path for path in sorted(files) for _ in range(path.read_text().count(old))]


def problem(edit):
    """Why an edit no longer fits; None if it does."""
    count = len(places(edit))
    return None if count == 1 else f"it is there {count} times: {edit[1].strip()}"


def attempt(edit):
    """What became of a mistake: "noticed", "does not compile" or "survived"."""
    _, old, new, suite = edit
    path = places(edit)[0]
    text = path.read_text()
    path.write_text(text.replace(old, new))
    only = os.environ | {"PLEDGE_TESTS": suite}
    try:
        build = subprocess.run(["swift", "build", "--build-tests"], cwd=root, env=only, capture_output=True, text=True)
        return "does not compile" if build.returncode else outcome(only)
    finally:
        path.write_text(text)


def outcome(environment):
    """Runs the tests until the first issue. What hangs is noticed, too."""
    # Interrupted, `swift test` ends what it began; killed, it would leave that running.
    test = subprocess.Popen(
        ["swift", "test", "--skip-build"], cwd=root, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    endings = []

    def end(why):
        endings.append(why)
        test.send_signal(signal.SIGINT)

    limit = threading.Timer(1200, end, ["noticed: hangs"])
    limit.start()
    for line in test.stdout:
        if " recorded an issue" in line and not endings:
            end("noticed")
    limit.cancel()
    failed = test.wait()
    return endings[0] if endings else "noticed" if failed else "survived"


def changed_since(base):
    """The paths of the files that differ from a commit."""
    paths = subprocess.check_output(["git", "diff", "--name-only", base], cwd=root, text=True)
    return {root / path for path in paths.splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of names, or the tests of a module")
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="BASE")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    chosen = [edit for edit in edits if not options.words or any(word in edit[0] or word == edit[3] for word in options.words)]
    misfits = [f"{edit[0]}: {problem(edit)}" for edit in chosen if problem(edit)]
    if misfits:
        sys.exit("\n".join(misfits))
    if options.changed:
        changed = changed_since(options.changed)
        chosen = [edit for edit in chosen if places(edit)[0] in changed]
    if not chosen:
        # It is no failure that nothing has changed.
        sys.exit(0 if options.changed else "No mistake has any of these words in its name.")
    if options.check:
        return print(f"all {len(chosen)} edits fit")
    print("| mistake | file | tests |\n|---|---|---|", flush=True)
    outcomes = []
    for edit in chosen:
        file = places(edit)[0].name
        outcomes.append(attempt(edit))
        print(f"| {edit[0]} | `{file}` | {outcomes[-1]} |", flush=True)
    sys.exit(1 if "survived" in outcomes else 0)


main()
