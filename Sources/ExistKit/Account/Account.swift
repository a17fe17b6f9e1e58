import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/users/
extension ExistAPI {
    /// Fetches the profile of the token's owner. Wraps `GET accounts/profile/`; also a way to check the token.
    public func user() -> Promise<UserReply> {
        send(.profile).map(on: nil) {
            (user: $0.value, response: $0.reply.urlResponse)
        }
    }

    /// Fetches a read-only token for a user name and a password. Wraps `POST auth/simple-token/`.
    ///
    /// - Returns: A token of the kind ``TokenKind/simple``, always the same one for the same user.
    public static func simpleToken(
        username: String, password: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.defaultOptions
    ) -> Promise<String> {
        let endpoint = Endpoint<SimpleTokenReply>(
            .post, "api/2/auth/simple-token/", body: .form(["username": username, "password": password]),
            isRepeatable: true)
        return EndpointClient.exist(baseURL, options: options).value(of: endpoint)
            .map(on: nil, \.token).mapError(on: nil) { ExistError($0) }
    }
}

extension Endpoint where Response == User {
    /// The endpoint of the profile. `GET accounts/profile/`
    package static var profile: Endpoint { Endpoint(.get, "accounts/profile/") }
}

/// The service's response to a user name and a password.
private struct SimpleTokenReply: Readable {
    var token: String

    init<Source>(reading source: Source) throws(Source.Failure) where Source: ValueSource {
        var fields = try source.fields()
        let value = try fields.required("token")
        _ = try value.parsed("it is empty") { $0.isEmpty ? nil : true }
        token = try value.text()
    }
}
