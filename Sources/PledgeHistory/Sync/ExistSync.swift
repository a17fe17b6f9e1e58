import ExistKit
import Foundation

/// Brings one Exist account in a history up to date.
///
/// The first run reads everything, the next ones what may have changed: see <doc:Tables> for how much that is. What was
/// read is written at once, together with the bookmark that says so: it can be ended at any moment.
public struct ExistSync: Sendable {
    let existAPI: ExistAPI
    let history: History
    let name: String?
    let options: SyncOptions
    let requests: RequestCount
    private let unreadable = Locked(0)

    /// A sync.
    ///
    /// - Parameters:
    ///   - existAPI: whose data; to have its requests counted, give it the transport of `requests`.
    ///   - history: where to.
    ///   - name: what the account is called there; its user name unless given.
    ///   - options: how.
    ///   - requests: counts them.
    public init(
        _ existAPI: ExistAPI, into history: History, as name: String? = nil, options: SyncOptions = SyncOptions(),
        requests: RequestCount = RequestCount()
    ) {
        self.existAPI = existAPI
        self.history = history
        self.name = name
        self.options = options
        self.requests = requests
    }

    /// Reads what is to be read, and writes it.
    ///
    /// - Rejects: with ``ExistError``, ``DatabaseError`` or ``SyncStopped``. What was written by then stays.
    /// - Cancellation: ends the request under way.
    public func run() -> Promise<SyncSummary> {
        existAPI.user().then(on: .pledge) { user, _ -> Promise<SyncSummary> in
            let run = try SyncRun(
                history, service: "exist", name: name ?? user.username, options: options, requests: requests)
            return ExistSteps(sync: self, run: run, today: user.today).all(user)
                .map(on: .pledge) { try run.end("done") }
                .recover(on: .pledge, policy: .allErrors) { error -> Promise<SyncSummary> in
                    // What went wrong matters more than that it could not be noted.
                    _ = try? run.end(error is SyncStopped || error.isCancelled ? "ended" : "failed")
                    throw error
                }
        }
    }
}

extension User {
    /// Today where the user is: by the service's clock, or by none.
    var today: ExistDay {
        ExistDay(localTime ?? Date(), in: utcOffset.flatMap { TimeZone(secondsFromGMT: $0) } ?? timeZone ?? .current)
    }

    func update(_ database: Database, account: SQLValue) throws {
        try database.run(
            """
            UPDATE account SET username = ?, first_name = ?, last_name = ?, time_zone = ?, utc_offset = ?,
                imperial_distance = ?, imperial_weight = ?, imperial_energy = ?, imperial_liquid = ?,
                imperial_temperature = ?
            WHERE id = ?
            """,
            [
                .text(username), .text(firstName), .text(lastName), .text(timezone), SQLValue(utcOffset),
                SQLValue(imperialDistance), SQLValue(imperialWeight), SQLValue(imperialEnergy),
                SQLValue(imperialLiquid), SQLValue(imperialTemperature), account,
            ])
    }
}
