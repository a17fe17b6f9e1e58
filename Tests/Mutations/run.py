#!/usr/bin/env python3
"""Makes one mistake after another in PledgeHTTP and the kits, and looks whether the tests notice.

    python3 Tests/Mutations/run.py              # all of them; an hour and more
    python3 Tests/Mutations/run.py limiter      # those whose name contains one of the words
    python3 Tests/Mutations/run.py --check      # only whether each edit still fits its file, in a second

Works on a clean checkout, and leaves it clean. Prints the table for README.md; fails if a mistake went unnoticed.
"""
import os
import pathlib
import signal
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]

# Name, what stands once in the module, what stands there instead, the module's tests.
HTTP, EXIST, MDH = "PledgeHTTPTests", "ExistKitTests", "MyDataHelpsKitTests"
edits = [
    ("a shared renewal is not kept alive", "            promise.pipe { _ in }\n", "", HTTP),
    ("everybody who waits begins the work",
     "if let latest, latest.isPending { return (latest, nil) }", "", HTTP),
    ("a shared promise is handed to all", "return Promise(outcome)", "return outcome", HTTP),
    ("a 401 is renewed for again and again", " && !state.hasRenewed", "", HTTP),
    ("what may not be repeated is repeated after a 401",
     "isRepeatable ? .renew : .renewOnly", ".renew", HTTP),
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
     'guard !origin.namesUser else { throw unsendable("the address holds a user name") }', "", HTTP),
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
    ("the limiter forgets that nothing is left",
     "if let resetsAt = announced?.resetsAt, announced?.remaining == 0 { state.closedUntil = resetsAt }", "", HTTP),
    ("the limiter forgets a 429",
     "if status == 429, let wait { state.closedUntil = now.addingTimeInterval(wait) }", "", HTTP),
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
        if build.returncode:
            return "does not compile"
        # What hangs is noticed, too. Interrupted, `swift test` ends what it began; killed, it would leave that running.
        test = subprocess.Popen(
            ["swift", "test", "--skip-build"], cwd=root, env=only, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return "noticed" if test.wait(timeout=1200) else "survived"
        except subprocess.TimeoutExpired:
            test.send_signal(signal.SIGINT)
            test.wait()
            return "noticed: hangs"
    finally:
        path.write_text(text)


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    chosen = [edit for edit in edits if not words or any(word in edit[0] for word in words)]
    if not chosen:
        sys.exit("No mistake has any of these words in its name.")
    misfits = [f"{edit[0]}: {problem(edit)}" for edit in chosen if problem(edit)]
    if misfits or "--check" in sys.argv:
        print("\n".join(misfits) or f"all {len(chosen)} edits fit")
        sys.exit(1 if misfits else 0)
    print("| mistake | file | tests |\n|---|---|---|", flush=True)
    outcomes = []
    for edit in chosen:
        file = places(edit)[0].name
        outcomes.append(attempt(edit))
        print(f"| {edit[0]} | `{file}` | {outcomes[-1]} |", flush=True)
    sys.exit(1 if "survived" in outcomes else 0)


main()
