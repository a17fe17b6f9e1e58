import Foundation
import PledgeHTTP

// One line each, like those of `ExistAPI`.
extension ExistOAuth {
    /// Tokens for a code; see the promise of this name.
    public func token(for code: String) async throws(ExistError) -> ExistToken {
        try await answer { $0.token(for: code) }
    }

    /// The next pair of tokens; see the promise of this name.
    public func refresh(_ token: ExistToken) async throws(ExistError) -> ExistToken {
        try await answer { $0.refresh(token) }
    }

    private func answer<Value>(_ call: (ExistOAuth) -> Promise<Value>) async throws(ExistError) -> Value {
        try await ExistError.rethrowing(call(self))
    }
}

extension ExistAPI {
    /// A read-only token for a user name and a password; see the promise of this name.
    public static func simpleToken(
        username: String, password: String, baseURL: URL = ExistAPI.serviceURL,
        transport: any HTTPTransport = URLSessionTransport.shared
    ) async throws(ExistError) -> String {
        func promise() -> Promise<String> {
            simpleToken(username: username, password: password, baseURL: baseURL, transport: transport)
        }
        return try await ExistError.rethrowing(promise())
    }
}
