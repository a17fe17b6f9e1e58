# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("a refresh token is not carried over", "token.refreshToken = fresh.refreshToken ?? old.refreshToken",
     "token.refreshToken = fresh.refreshToken", "OAuthTests"),
    ("a new pair is used before it is stored", "return store(kept).map(on: nil) { kept.accessToken }",
     "_ = store(kept)\n                return .value(kept.accessToken)", "OAuthTests"),
    ("an expired token is used", "expiresAt.map { $0 <= date } ?? false", "false", "OAuthTests"),
    ("a write sends one item too many", "static let writeLimit = 35", "static let writeLimit = 36",
     "WriteTests|UpdateTests|UpdateSampleTests"),
    ("a failed write counts its own items as answered", "IndexSet(0..<range.lowerBound)",
     "IndexSet(0..<range.upperBound)", "WriteTests|UpdateTests"),
    ("an increment is repeated", 'write("attributes/increment/", items, isRepeatable: false)',
     'write("attributes/increment/", items, isRepeatable: true)', "UpdateTests|WriteTests|EndpointTests"),
    ("a beginning of the state is accepted", "Self.isSame(states[0], state)", "state.hasPrefix(states[0])",
     "OAuthTests"),
    ("a state that goes on is accepted", "        guard one.count == other.count else { return false }\n", "",
     "OAuthTests"),
    ("a second state is ignored", "guard states.count == 1, !state.isEmpty,", "guard !states.isEmpty, !state.isEmpty,",
     "OAuthTests"),
    ("a second code is ignored", "guard codes.count == 1, !codes[0].isEmpty", "guard !codes.isEmpty, !codes[0].isEmpty",
     "OAuthTests"),
    ("a refusal with a code is none", "if let reason = errors.first {", "if let reason = errors.first, codes.isEmpty {",
     "OAuthTests"),
    ("a user signs in over plain http", "guard !state.isEmpty, baseURL.mayCarrySecrets else",
     "guard !state.isEmpty else", "OAuthTests"),
    ("a pair that could not be stored is lost", """                held.withLock { $0 = kept }
                return store(kept).map(on: nil) { kept.accessToken }
""", """                return store(kept).map(on: nil) { [held] in
                    held.withLock { $0 = kept }
                    return kept.accessToken
                }
""", "OAuthTests"),
    ("a token is used in the second in which it expires", "$0 <= date", "$0 < date", "OAuthTests"),
]
