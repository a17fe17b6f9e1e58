import ExistKit
import MyDataHelpsKit
import PledgeCoding
import PledgeHTTP

/// The results of a completed sync.
public struct SyncSummary: Equatable, Sendable, CustomStringConvertible {
    /// The number of requests that were sent.
    public var requests: Int
    /// The numbers of rows that changed in the database.
    public var changes: ChangeCount
    /// A sentence for each of the gaps, and for each item that could not be read or was not as promised.
    public var notes: [String] = []
    /// The numbers of items that could not be read, and are therefore not stored, by table.
    public var unreadable: [String: Int] = [:]
    /// The lists that are not up to date. Their stored rows are unchanged, and the next sync requests them again.
    public var gaps: [Gap] = []

    /// A list that a sync could not bring up to date, though it could the others.
    public struct Gap: Equatable, Sendable {
        /// The name of its table.
        public var list: String
        /// A code for the reason: `forbidden`, `notFound`, `unreadable` (also if none of its items could be read,
        /// though some are stored), …, or `removals` if more rows were gone than a service can be expected to lose,
        /// which ``SyncOptions/acceptsRemovals`` accepts.
        public var kind: String
        /// A sentence for people.
        public var text: String
    }

    /// A clause such as `7 requests, 12 added, 3 changed, none removed`.
    public var description: String {
        func text(_ number: Int) -> String { number == 0 ? "none" : "\(number)" }
        return "\(NumberText.counted(requests, "request")), \(text(changes.added)) added, "
            + "\(text(changes.changed)) changed, \(text(changes.removed)) removed"
    }
}

/// The errors, notes, and counts of what a run continues without.
struct SyncLosses {
    /// Returns what may be shown of a text that contains names from the service.
    let hide: @Sendable (String) -> String
    var failure: (any Error)?
    var lists: [SyncSummary.Gap] = []
    var notes: [String] = []
    /// The number of items that are not among the notes.
    var more = 0
    /// The tables with a note about items that are not as promised, but were read.
    var remarked: Set<String> = []
    /// The numbers of items that were read and that could not be, by list.
    var items: [ListName: (read: Int, lost: Int)] = [:]
    /// The number of rows that were marked as removed, by table.
    var removed: [String: Int] = [:]
    /// The numbers of rows that are gone but not marked, since they are too many, by list.
    var doubted: [ListName: Int] = [:]

    /// The lists of which nothing could be read.
    var unread: [ListName] { items.filter { $1.read == 0 && $1.lost > 0 }.map(\.key) }
    var unreadable: [String: Int] {
        Dictionary(items.filter { $1.lost > 0 }.map { ($0.table, $1.lost) }, uniquingKeysWith: +)
    }
    var gaps: [SyncSummary.Gap] {
        let doubts = doubted.map { list, count in
            SyncSummary.Gap(
                list: list.table, kind: "removals",
                text:
                    "\(list) lack \(count) that are stored, more than a service loses in a night: nothing was marked as "
                    + "removed. If they are gone on purpose, accept that once (--accept-removals).")
        }
        return (lists + doubts).map { .init(list: $0.list, kind: $0.kind, text: hide($0.text)) }
            .sorted { $0.text < $1.text }
    }
    var lines: [String] {
        gaps.map(\.text) + notes.map(hide) + (more == 0 ? [] : ["\(more) more items could not be read."])
    }

    mutating func add(_ list: ListName, _ kind: String, _ text: String) {
        lists.append(.init(list: list.table, kind: kind, text: "\(list) \(text)"))
    }
}

extension Error {
    /// A code for programs, the same for both services, and the status of the response if there was one.
    package var kindAndStatus: (kind: String, status: Int?) {
        let status = (self as? MyDataHelpsError)?.status ?? exchangeError?.status
        return (self is IdentityChange || isOtherOwner ? "identity" : failure.rawValue, status)
    }

    /// Whether a client refused to send a token because it is another person's.
    var isOtherOwner: Bool {
        if self is OtherOwner { return true }
        guard case .credential(let cause)? = exchangeError?.reason else { return false }
        return cause is OtherOwner
    }

    /// The kind of the error, the same for both services.
    var failure: FailureKind {
        let error: any Error = self
        return switch error {
        case is StuckList: .unreadable
        case let error as ExistError: error.kind
        case MyDataHelpsError.timedOut: .timedOut
        case let error as MyDataHelpsError:
            error.status.map { Diagnosis(status: $0).kind } ?? FailureKind(error.underlyingError ?? error)
        default: FailureKind(error)
        }
    }

    /// Whether the error concerns only what was requested, so that other lists can be read. Others concern the service,
    /// the account, the connection, or the time of the request.
    var concernsOneList: Bool { isRefusal || failure == .unreadable && !lacksToken }

    /// Whether the service works, and refused only what was requested.
    package var isRefusal: Bool { [.forbidden, .notFound, .rejected].contains(failure) && !lacksToken }

    /// Without a token, nothing can be read.
    private var lacksToken: Bool {
        if case .credential? = exchangeError?.reason { true } else { false }
    }
}

extension MyDataHelpsError {
    fileprivate var status: Int? {
        switch self {
        case .unauthorizedRequest(let response), .tooManyRequests(_, let response), .serverError(let response):
            response.statusCode
        default: nil
        }
    }
}
