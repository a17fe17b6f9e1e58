import Foundation

/// The options that control a sync.
public struct SyncOptions: Sendable {
    /// The number of days before the last sync that are read again, because services correct past values.
    public var overlap = 14
    /// Returns the current time, which is recorded for each sync. What to request depends on the services' clocks; this
    /// one only keeps a timestamp in the future from becoming a bookmark.
    public var now: @Sendable () -> Date = { Date() }
    /// Called between requests. Returning true ends the sync in the same way as canceling it.
    public var isStopped: @Sendable () -> Bool = { false }
    /// Returns the description of an error to record. Use it to remove anything that must not be stored.
    public var describe: @Sendable (any Error) -> String = { "\($0)" }
    /// Whether to read everything again, as the first sync did. That finds corrections and removals of any age.
    public var isFull = false
    /// The number of days after which a sync reads everything again by itself; nil for never. Accounts of a history
    /// take turns, so that about as many do on each day.
    public var fullEvery: Int?
    /// Whether to mark all rows that the service no longer has, however many. Without it, a list that lacks more than
    /// ten rows, and more than a hundredth of the account's in that table, is taken for a fault of the service: nothing
    /// is marked, and each sync says so until the rows are back.
    public var acceptsRemovals = false
    /// Returns whether an account may belong to another person than before, who may just have another name now.
    public var acceptsIdentity: @Sendable (_ account: String) -> Bool = { _ in false }
    /// Called with the number of requests left, as far as known.
    public var onProgress: @Sendable (_ requestsLeft: Int) -> Void = { _ in }

    /// Returns a code for an error.
    package var kind: @Sendable (any Error) -> String = { $0.kindAndStatus.kind }
    /// The address of the account's server if not the default one: an account never mixes data of two servers.
    package var address: String?

    /// Creates the default options, which suit syncing a user's own data at least once a day.
    public init() {}
}
