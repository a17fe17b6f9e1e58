import Foundation
import PledgeCoding
import PledgeHTTP

/// https://developer.exist.io/reference/users/
extension ExistAPI {
    /// Fetches the profile of the token's owner. Wraps `GET accounts/profile/`; also a way to check the token.
    public func user() -> Promise<UserOutput> {
        send(.profile).map(on: nil) {
            (user: $0.value, response: $0.response.urlResponse)
        }
    }

    /// Fetches a read-only token, always the same one, for a user name and a password. Wraps `POST auth/simple-token/`.
    public static func simpleToken(
        username: String, password: String, baseURL: URL = ExistAPI.serviceURL,
        options: EndpointClient.Options = ExistAPI.defaultOptions
    ) -> Promise<String> {
        let endpoint = Endpoint<SimpleTokenOutput>(
            .post, "api/2/auth/simple-token/", body: .form(["username": username, "password": password]),
            isRepeatable: true)
        return EndpointClient.exist(baseURL, options: options).value(of: endpoint)
            .map(on: nil, \.token).mapError(on: nil) { ExistError($0) }
    }
}

extension Endpoint where Response == User {
    package static var profile: Endpoint { Endpoint(.get, "accounts/profile/") }
}

private struct SimpleTokenOutput: Readable {
    var token: String

    init(reading source: TapeValue) throws(TapeFailure) {
        var fields = try source.fields()
        token = try fields.required("token").parsed("it is empty") { $0.isEmpty ? nil : $0.string }
    }
}
