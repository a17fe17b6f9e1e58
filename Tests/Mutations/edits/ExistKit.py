# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("a refresh token is not carried over",
     "token.refreshToken = fresh.refreshToken ?? old.refreshToken", "token.refreshToken = fresh.refreshToken"),
    ("a new pair is used before it is stored",
     "return store(kept).map(on: nil) { kept.accessToken }", "_ = store(kept)\n                return .value(kept.accessToken)"),
    ("an expired token is used", "expiresAt.map { $0 <= date } ?? false", "false"),
    ("a write sends one item too many", "static let batchLimit = 35", "static let batchLimit = 36"),
    ("a failed write counts its own items as answered", "IndexSet(0..<range.lowerBound)",
     "IndexSet(0..<range.upperBound)"),
    ("an increment is repeated", 'write("attributes/increment/", items, isRepeatable: false)',
     'write("attributes/increment/", items, isRepeatable: true)'),
]
