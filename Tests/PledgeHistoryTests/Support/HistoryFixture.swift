import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport

@testable import PledgeHistory
@testable import PledgeSandbox

extension Date {
    /// Friday, 20 November 2026, 12:00 in UTC.
    static let friday = Date(timeIntervalSince1970: 1_795_176_000)
}

extension ManualTimekeeper {
    /// Returns options that use this clock.
    func options(_ change: (inout SyncOptions) -> Void) -> SyncOptions {
        var options = SyncOptions()
        options.now = { self.now }
        change(&options)
        return options
    }
}

/// A sandbox, and a method that syncs its account.
protocol HistoryFixture: Sendable {
    @discardableResult
    func sync(
        _ history: History, token: String?, as name: String?, altering alteration: Alteration?,
        _ change: (inout SyncOptions) -> Void
    ) async throws -> SyncSummary
}

/// An Exist sandbox, and a method that syncs its user. The sandbox runs as long as this object is alive.
final class ExistFixture: HistoryFixture {
    let clock: ManualTimekeeper
    let sandbox: ExistSandbox

    /// - Parameter isSmall: Whether the user has only a tenth of the attributes, which is enough to fill all lists.
    init(isEmpty: Bool = false, isSmall: Bool = false, zone: TimeZone = .gmt) throws {
        let clock = ManualTimekeeper(start: .friday)
        self.clock = clock
        sandbox = ExistSandbox(now: { clock.now }, timeZone: zone, isEmpty: isEmpty)
        let few: Set = ["steps", "sleep", "mood", "mood_note"]
        if isSmall {
            ExistFirstAttributes.attributes.map(\.name).filter { !few.contains($0) }.forEach(sandbox.removeAttribute)
        }
        try sandbox.server.start()
    }

    /// Starts a sandbox whose user has only these attributes.
    convenience init(attributes: [String], isLowPriority: Bool = false) throws {
        try self.init(isEmpty: true)
        for name in attributes { sandbox.addAttribute(name, isLowPriority: isLowPriority) }
    }

    deinit { sandbox.stop() }

    /// Sets an attribute's values on the given days, counted back from today. By default, each day has a different
    /// number.
    func setValues(of name: String, daysAgo days: Range<Int>, to value: ServerJSON? = nil) {
        let today = ExistDay(clock.now, in: .gmt)
        for day in days {
            sandbox.setValue(value ?? .integer(day + 1), of: name, on: today.advanced(by: -day).description)
        }
    }

    /// Refuses all requests for a path, or only the requests for some attributes.
    func refuse(_ path: String, status: Int? = nil, of attributes: [String: Int] = [:]) {
        sandbox.server.script.next(.max, matching: "/api/2/\(path)") { request in
            let status = request.queryValue("attribute").flatMap { attributes[$0] } ?? status
            return status.map { .json(["detail": "No."], status: $0) }
        }
    }

    @discardableResult
    func sync(
        _ history: History, token: String? = nil, as name: String? = nil, altering alteration: Alteration? = nil,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        let client = client(token: token, altering: alteration)
        return try await history.sync(client, as: name, options: clock.options(change)).value
    }

    func client(token: String? = nil, altering alteration: Alteration? = nil) -> ExistAPI {
        ExistAPI(
            token: token ?? sandbox.token, baseURL: sandbox.baseURL,
            options: ExistAPI.defaultOptions.with {
                $0.transport = alteration?.affecting($0.transport) ?? $0.transport
                $0.retry = .never
                $0.timeout = 600
            })
    }
}

/// A MyDataHelps sandbox, and a method that syncs its participant. The sandbox runs as long as this object is alive.
final class ParticipantFixture: HistoryFixture {
    let clock: ManualTimekeeper
    let sandbox: MyDataHelpsSandbox
    private let readsV2: Bool

    /// - Parameter readsV2: Whether a service account reads version 2 of the device data.
    init(isEmpty: Bool = false, readsV2: Bool = false) throws {
        self.readsV2 = readsV2
        let clock = ManualTimekeeper(start: .friday)
        self.clock = clock
        sandbox = MyDataHelpsSandbox(now: { clock.now }, isEmpty: isEmpty)
        sandbox.rateLimit = 1_000_000
        try sandbox.server.start()
    }

    deinit { sandbox.stop() }

    @discardableResult
    func sync(
        _ history: History, token: String? = nil, as name: String? = nil, altering alteration: Alteration? = nil,
        _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        let session = session(token: token, altering: alteration)
        let account = readsV2 ? serviceAccount(altering: alteration) : nil
        return try await history.sync(session, as: name, serviceAccount: account, options: clock.options(change)).value
    }

    func session(token: String? = nil, altering alteration: Alteration? = nil) -> ParticipantSession {
        ParticipantSession(
            client: client(altering: alteration), accessToken: ParticipantAccessToken(token: token ?? sandbox.token))
    }

    func serviceAccount(altering alteration: Alteration? = nil) -> ServiceAccount {
        ServiceAccount(name: sandbox.serviceAccount, client: client(altering: alteration)) { $0 }
    }

    private func client(altering alteration: Alteration?) -> MyDataHelpsClient {
        let clock = clock
        return MyDataHelpsClient(
            baseURL: sandbox.baseURL,
            options: MyDataHelpsClient.defaultOptions.with {
                // A service account's token requests contain the time, which must agree with the sandbox's clock.
                $0.clock = Timekeeper(now: { clock.now }, schedule: { _, _ in {} })
                $0.transport = alteration?.affecting($0.transport) ?? $0.transport
                $0.retry = .never
                $0.timeout = 600
            })
    }
}

extension Database {
    /// Adds an attribute whose values are whole numbers, as a sync would.
    func put(attribute: SQLValue, of account: SQLValue, priority: SQLValue = 1, isActive: SQLValue = 1) throws {
        let row = [account, attribute, "A", "g", "G", 1, priority, nil, 0, nil, nil, nil, 0, isActive]
        _ = try put([row], into: "attribute")
    }
}

extension History {
    /// Creates a temporary folder and an empty history in it, and returns both.
    static func new() throws -> (TemporaryFolder, History) {
        let scratch = try TemporaryFolder()
        return (scratch, try History(scratch.path("a.db")))
    }

    /// Returns the number of a table's rows that meet the condition.
    func count(_ table: String, _ condition: String = "1") throws -> Int {
        try query("SELECT count(*) FROM \(table) WHERE \(condition)").rows[0][0].integer ?? 0
    }

    /// Returns all data from the services as text, except for data that a service no longer has.
    func content(through day: String = "9999") throws -> [String] {
        var lines: [String] = []
        for (table, condition) in Self.tables {
            let answer = try query(
                "SELECT * FROM \(table) AS t WHERE \(condition.replacingOccurrences(of: "$", with: day))")
            lines += answer.rows.map { row in
                "\(table) " + zip(answer.columns, row).map { "\($0)=\($1)\($1.kind)" }.joined(separator: " ")
            }
        }
        return lines
    }

    private static let tables = [
        ("account", "1"), ("attribute", "removed IS NULL"),
        (
            "value",
            """
            removed IS NULL AND day <= '$'
                AND (SELECT removed FROM attribute WHERE account = t.account AND name = t.attribute) IS NULL
            """
        ),
        ("average", "1"), ("correlation", "1"), ("insight", "removed IS NULL"), ("project", "1"), ("participant", "1"),
        ("device_data_point", "removed IS NULL"), ("device_data_point_v2", "removed IS NULL"),
        ("survey_task", "removed IS NULL"),
        ("survey_answer", "removed IS NULL"), ("notification", "removed IS NULL"),
        ("external_account", "removed IS NULL"),
    ]
}

extension SQLValue {
    /// A letter for the type, so that 1, 1.0, and "1" differ.
    var kind: String {
        switch self {
        case .null: "n"
        case .integer: "i"
        case .real: "r"
        case .text: "t"
        }
    }
}

extension Locked<Int> {
    /// Whether the number was 0 or less. Each access first makes this comparison, and then decrements the number.
    var runsOut: Bool {
        withLock { left in
            left -= 1
            return left < 0
        }
    }
}

extension ServerJSON {
    /// Returns an attribute as Exist lists it.
    static func attribute(_ name: String, values: [ServerJSON]? = nil) -> ServerJSON {
        var members: [String: ServerJSON] = [
            "name": .string(name), "label": .string(name), "value_type": 0, "priority": 10,
            "group": ["name": "custom", "label": "Custom", "priority": 1],
        ]
        members["values"] = values.map { .array($0) }
        return .object(members)
    }

    /// Returns the only page of a list with these items.
    static func page(_ items: [ServerJSON]) -> ServerJSON {
        ["count": .integer(items.count), "next": .null, "results": .array(items)]
    }
}
