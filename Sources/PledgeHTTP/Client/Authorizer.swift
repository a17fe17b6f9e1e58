/// Puts the credential on a request.
///
/// The token lives inside a closure, where neither `print` nor `dump` nor a mirror can find it.
public struct Authorizer: Sendable {
    let headerValue: @Sendable () -> String?

    /// No credential.
    public static let none = Authorizer { nil }

    /// `Authorization: Bearer …`
    public static func bearer(_ token: String) -> Authorizer {
        Authorizer { "Bearer \(token)" }
    }

    /// `Authorization: <scheme> …`, for services with a scheme of their own.
    public static func scheme(_ scheme: String, _ token: String) -> Authorizer {
        Authorizer { "\(scheme) \(token)" }
    }
}
