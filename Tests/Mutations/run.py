#!/usr/bin/env python3
"""Makes one mistake after another in PledgeHTTP and the kits, and looks whether the tests notice.

    python3 Tests/Mutations/run.py              # all of them; an hour and more
    python3 Tests/Mutations/run.py limiter      # those whose name contains a word
    python3 Tests/Mutations/run.py --check      # only whether each edit still fits its file, in a second

Works on a clean checkout, and leaves it clean. Prints the table for README.md; fails if a mistake went unnoticed.
"""
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]

# Name, file's name (wherever it lies below Sources), what stands there once, what stands there instead, the suites to run.
HTTP, EXIST, MDH = "PledgeHTTPTests", "ExistKitTests", "MyDataHelpsKitTests"
edits = [
    ("a shared renewal is not kept alive", "SingleFlight.swift", "            promise.pipe { _ in }\n", "", HTTP),
    ("everybody who waits begins the work", "SingleFlight.swift",
     "if let latest, latest.isPending { return (latest, nil) }", "", HTTP),
    ("a shared promise is handed to all", "SingleFlight.swift", "return Promise(outcome)", "return outcome", HTTP),
    ("a 401 is renewed for again and again", "ExchangeStep.swift", " && !state.hasRenewed", "", HTTP),
    ("what may not be repeated is repeated after a 401", "ExchangeStep.swift",
     "isRepeatable ? .renew : .renewOnly", ".renew", HTTP),
    ("what may not be repeated is repeated after a lost line", "ExchangeStep.swift",
     "if isRepeatable, error.isTransient,", "if error.isTransient,", HTTP),
    ("an untrusted host is asked again", "ExchangeStep.swift", "case .untrusted, .tooLarge", "case .tooLarge", HTTP),
    ("a redirect leads to another origin", "ExchangeStep.swift", "origin == Origin(state.url), ", "", HTTP),
    ("a redirect may name a user", "ExchangeStep.swift", ", !origin.namesUser,\n", ",\n", HTTP),
    ("a write is led on", "ExchangeStep.swift", "guard method == .get, let origin", "guard let origin", HTTP),
    ("redirects go round for ever", "ExchangeStep.swift", "state.redirects < mostRedirects", "true", HTTP),
    ("a port is taken for another", "Origin.swift",
     'self.port = port == ["http": 80, "https": 443][self.scheme] ? nil : port', "self.port = nil", HTTP),
    ("a port that is none is let through", "Origin.swift", "if port == nil, !digits.isEmpty { return nil }", "", HTTP),
    ("any host that begins with 127 is this machine", "Origin.swift",
     'parts.count == 4 && parts[0] == "127"', 'parts[0] == "127"', HTTP),
    ("a base address may name a user", "EndpointClient.swift",
     'guard !origin.namesUser else { throw unsendable("the address holds a user name") }', "", HTTP),
    ("a path may lead to another host", "EndpointClient.swift",
     "guard url.absoluteString.utf8.starts(with: base.utf8) else {", "guard true else {", HTTP),
    ("a token goes over plain http", "EndpointClient.swift", "guard origin.mayCarrySecrets else {", "guard true else {",
     HTTP),
    ("a token that no header can carry is sent", "EndpointClient.swift",
     "guard !token.isEmpty, token.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {", "guard true else {", HTTP),
    ("the echo of a token is shown in an error", "EndpointClient.swift",
     "hiding: request.map { Secrets($0) } ?? .none)", "hiding: .none)", HTTP),
    ("a token source that is gone is asked", "Authorizer.swift",
     "let strong = self == .strong ? object : nil", "let strong: Object? = object", HTTP),
    ("the limiter lets one more go", "RateLimiter.swift", "if state.sent.count >= limit,", "if state.sent.count > limit,",
     HTTP),
    ("the limiter forgets that nothing is left", "RateLimiter.swift",
     "if let resetsAt = announced?.resetsAt, announced?.remaining == 0 { state.closedUntil = resetsAt }", "", HTTP),
    ("the limiter forgets a 429", "RateLimiter.swift",
     "if status == 429, let wait { state.closedUntil = now.addingTimeInterval(wait) }", "", HTTP),
    ("pages in a circle have no end", "PageWalk.swift", ".inserted else { return isCircle = true }",
     ".inserted || true else { return isCircle = true }", HTTP),
    ("a refresh token is not carried over", "ExistTokenSource.swift",
     "token.refreshToken = fresh.refreshToken ?? old.refreshToken", "token.refreshToken = fresh.refreshToken", EXIST),
    ("a new pair is used before it is stored", "ExistTokenSource.swift",
     "return store(kept).map(on: nil) { kept.accessToken }", "_ = store(kept)\n                return .value(kept.accessToken)",
     EXIST),
    ("an expired token is used", "Account/ExistToken.swift", "expiresAt.map { $0 <= date } ?? false", "false", EXIST),
    ("a write sends one item too many", "ExistAPI.swift", "static let batchLimit = 35", "static let batchLimit = 36", EXIST),
    ("a failed write counts its own items as answered", "Batch.swift", "IndexSet(0..<range.lowerBound)",
     "IndexSet(0..<range.upperBound)", EXIST),
    ("an increment is repeated", "AttributeIncrement.swift", "isRepeatable: false", "isRepeatable: true", EXIST),
    ("an account is looked at once", "FollowPace.swift", "account.status.isFinal && isSure", "account.status.isFinal", MDH),
    ("the wait between looks does not grow", "FollowPace.swift", "max(wait, 0.1) * 1.5", "max(wait, 0.1)", MDH),
    ("the minute before the end is no margin", "IssuedToken.swift", "min(-lifetime / 5, -min(60, lifetime))",
     "-lifetime / 5", MDH),
    ("a refused token is handed out again", "IssuedToken.swift", "if token?.value == rejected { token = nil }", "", MDH),
]


def find(name):
    found = [path for path in (root / "Sources").rglob(name)]
    return found[0] if len(found) == 1 else None


def problem(edit):
    """Why an edit no longer fits; None if it does."""
    _, name, old, _, _ = edit
    path = find(name)
    if path is None:
        return f"{name} is not there, or there more than once"
    count = path.read_text().count(old)
    return None if count == 1 else f"{name} has it {count} times: {old.strip()}"


def attempt(edit):
    """What became of a mistake: "noticed", "does not compile" or "survived"."""
    _, name, old, new, suite = edit
    path = find(name)
    text = path.read_text()
    path.write_text(text.replace(old, new))
    try:
        build = subprocess.run(["swift", "build", "--build-tests"], cwd=root, capture_output=True, text=True)
        if build.returncode:
            return "does not compile"
        # What hangs is noticed, too.
        try:
            test = subprocess.run(
                ["swift", "test", "--skip-build", "--filter", f"^{suite}"], cwd=root, capture_output=True, timeout=1200)
        except subprocess.TimeoutExpired:
            return "noticed: hangs"
        return "noticed" if test.returncode else "survived"
    finally:
        path.write_text(text)


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    chosen = [edit for edit in edits if all(word in edit[0] for word in words)]
    misfits = [f"{edit[0]}: {problem(edit)}" for edit in chosen if problem(edit)]
    if misfits or "--check" in sys.argv:
        print("\n".join(misfits) or f"all {len(chosen)} edits fit")
        sys.exit(1 if misfits else 0)
    print("| mistake | file | tests |\n|---|---|---|", flush=True)
    outcomes = []
    for edit in chosen:
        outcomes.append(attempt(edit))
        print(f"| {edit[0]} | `{edit[1]}` | {outcomes[-1]} |", flush=True)
    sys.exit(1 if "survived" in outcomes else 0)


main()
