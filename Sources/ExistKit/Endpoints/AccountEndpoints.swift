import PledgeHTTP

/// https://developer.exist.io/reference/users/
extension Endpoint where Response == User {
    static var profile: Endpoint { Endpoint(.get, "accounts/profile/") }
}
