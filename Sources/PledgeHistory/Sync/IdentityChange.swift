/// The error of a sync whose token belongs to another person than the one whose data the account holds, or does so since
/// it was renewed or replaced during the sync.
///
/// Nothing of the other person was written. If the person just has another name now, accept it with ``SyncOptions/acceptsIdentity``.
public struct IdentityChange: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the account.
    public var account: String

    /// A sentence that names the account, and what to do.
    public var description: String {
        "The account “\(account.prefix(40))” holds the data of another person than the one its token belongs to, of "
            + "whom nothing was written: correct the token, or choose another name for the account. If it is the same person under "
            + "a new name, accept that once (--accept-identity)."
    }
}
