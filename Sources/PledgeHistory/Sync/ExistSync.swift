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

    /// A sync of one account, which begins with ``run()``.
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
    /// - Rejects: with `ExistError`, ``DatabaseError`` or ``SyncStopped``. What was written by then stays.
    /// - Cancellation: ends the request under way.
    public func run() -> Promise<SyncSummary> {
        firstly { () throws -> Promise<SyncSummary> in
            // With a name there is something to note a failure by.
            let known = try name.map { try begin($0) }
            let user = existAPI.user().map(on: nil, \.user)
            guard let known else {
                return user.then(on: .pledge) { user -> Promise<SyncSummary> in
                    let run = try begin(user.username)
                    return run.following { ExistSteps(sync: self, run: run, today: user.today).all(user) }
                }
            }
            return known.following {
                user.then(on: .pledge) { user -> Promise<Void> in
                    ExistSteps(sync: self, run: known, today: user.today).all(user)
                }
            }
        }
    }

    private func begin(_ name: String) throws -> SyncRun {
        try SyncRun(history, service: "exist", name: name, options: options, requests: requests)
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
                imperial_temperature = ?, day = ?
            WHERE id = ?
            """,
            [
                .text(username), .text(firstName), .text(lastName), .text(timezone), SQLValue(utcOffset),
                SQLValue(imperialDistance), SQLValue(imperialWeight), SQLValue(imperialEnergy),
                SQLValue(imperialLiquid), SQLValue(imperialTemperature), SQLValue(today), account,
            ])
    }
}
