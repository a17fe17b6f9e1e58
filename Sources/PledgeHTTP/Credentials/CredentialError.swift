/// The reason why there is no valid token to send.
public enum CredentialError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The client does not keep the source alive, and the source has been deallocated.
    case sourceIsGone
    /// The source has no token, or no token that it can renew.
    case signInNeeded
    /// The service refused to renew the token, for the reason in its message. The user has to sign in again.
    case renewalRefused(message: String?)
    /// The token is empty, or the token or its scheme contains a character that is not allowed in a header.
    case malformed

    /// A clause that says what the problem is and what to do about it.
    public var description: String {
        switch self {
        case .sourceIsGone:
            "the token source is gone: keep a reference to it, or let the client hold it strongly"
        case .signInNeeded:
            "there is no token that can be renewed: let the user sign in again"
        case .renewalRefused(let message):
            "the service refused to renew the token" + ServiceMessage.clause(message)
        case .malformed:
            "the token is empty, or the token or its scheme has a line break or another character that is not allowed"
        }
    }
}
