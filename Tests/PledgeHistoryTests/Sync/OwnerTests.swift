import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@testable import PledgeHistory
@testable import PledgeSandbox
@testable import PledgeServer

@Suite("The owner of an account")
struct OwnerTests {
    private let (scratch, history): (TemporaryFolder, History)
    init() throws { (scratch, history) = try History.new() }

    @Test("Another user's token changes nothing in an account until the change of its owner is accepted")
    func user() async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        fixture.sandbox.addToken("of-noah", username: "noah")
        try await fixture.sync(history, as: "p-17")
        fixture.sandbox.setValue(99, of: "steps", on: "2026-11-20")
        let (content, states) = try (history.content(), history.query("SELECT * FROM sync_state").rows)
        let error = await thrown(IdentityChange.self) {
            try await fixture.sync(history, token: "of-noah", as: "p-17") { ($0.isFull, $0.fullEvery) = (true, 7) }
        }
        #expect(error == IdentityChange(account: "p-17"))
        #expect(try history.content() == content)
        #expect(try history.query("SELECT * FROM sync_state").rows == states)
        #expect(
            try history.query("SELECT outcome, kind FROM sync_run ORDER BY id DESC LIMIT 1").rows == [
                ["failed", "identity"]
            ])
        try await fixture.sync(history, token: "of-noah", as: "p-17") { $0.acceptedIdentities = ["p-17"] }
        #expect(try history.query("SELECT username FROM account").rows == [["noah"]])
        #expect(try history.query("SELECT value FROM latest").rows == [[99]])
        #expect(await thrown(IdentityChange.self) { try await fixture.sync(history, as: "p-17") } != nil)
    }

    @Test("Another user's token without an account name creates a second account, and the run announces that once")
    func another() async throws {
        let fixture = try ExistFixture(attributes: ["steps"])
        fixture.sandbox.addToken("of-noah", username: "noah")
        #expect(try await fixture.sync(history).notes == [])
        let name = try history.query("SELECT name FROM account").rows[0][0].text ?? ""
        #expect(
            try await fixture.sync(history, token: "of-noah").notes == [
                "“noah” is a new account in this database, which already has “\(name)”."
            ]
        )
        #expect(try await fixture.sync(history, token: "of-noah").notes == [])
        #expect(try await fixture.sync(history, as: "third").notes == [])
        // If the first sync of a new account fails, the first successful one announces the account.
        fixture.sandbox.addToken("of-olga", username: "olga")
        fixture.sandbox.server.script.next(matching: "GET /api/2/attributes/") { _ in .empty(401) }
        #expect(await thrown(ExistError.self) { try await fixture.sync(history, token: "of-olga") } != nil)
        #expect(try await fixture.sync(history, token: "of-olga").notes.first?.hasPrefix("“olga” is a new") == true)
        // The note isn't stored. Otherwise, erasing the older account would leave its name in the newer one's rows.
        #expect(try history.query("SELECT count(*) FROM sync_run WHERE error LIKE '%already has%'").rows == [[0]])
    }

    @Test("A participant counts as the same person only if both the ID and the project are the same")
    func participant() async throws {
        let fixture = try ParticipantFixture(isEmpty: true)
        let name = fixture.sandbox.participantIdentifier
        fixture.sandbox.addToken("another's")
        fixture.sandbox.addToken("renewed", of: name)
        try await fixture.sync(history)
        try await fixture.sync(history, token: "renewed", as: name)
        let mixedUp = await thrown(IdentityChange.self) {
            try await fixture.sync(history, token: "another's", as: name)
        }
        #expect(mixedUp == IdentityChange(account: name))
        for column in ["id", "project"] {
            let former = try history.query("SELECT \(column) FROM participant").rows[0][0]
            try history.transaction { _ = try $0.run("UPDATE participant SET \(column) = 'another'") }
            #expect(await thrown(IdentityChange.self) { try await fixture.sync(history) } != nil, "\(column)")
            try history.transaction { _ = try $0.run("UPDATE participant SET \(column) = ?", [former]) }
            try await fixture.sync(history)
        }
    }
}

@Suite("An account with tokens of different people", .serialized)
struct ChangingOwnerTests {
    @Test(
        "An account that gets tokens of two people at random requests holds the rows of only one person",
        arguments: History.Service.allCases)
    func alternating(_ service: History.Service) async throws {
        for seed in 1...UInt64(Rounds.count(usual: 12)) {
            var random = SeededGenerator(seed: seed)
            let (scratch, history) = try History.new()
            let people = try TwoPeople(service)
            for _ in 0..<Int.random(in: 3...8, using: &random) {
                let tokens = AlternatingTokens(
                    seed: random.next(), oneIn: [2, 5, 30].randomElement(using: &random) ?? 2)
                people.refusals.withLock {
                    $0 = (SeededGenerator(seed: random.next()), [3, 10, 1_000].randomElement(using: &random) ?? 3)
                }
                let isFull = Bool.random(using: &random)
                do {
                    try await people.sync(history, tokens) { $0.isFull = isFull }
                } catch is IdentityChange {
                } catch let error where error.failureStatus == 401 {
                }
                let owners = try people.owners(in: history)
                #expect(owners.count <= 1, "seed \(seed): \(owners)")
            }
            guard let owner = try people.owners(in: history).first else { continue }
            people.refusals.withLock { $0.oneIn = .max }
            try await people.sync(history, AlternatingTokens(only: owner)) { $0.isFull = true }
            #expect(try people.owners(in: history) == [owner], "seed \(seed)")
            _ = scratch
        }
    }

    @Test("If another person's token replaces an account's refused token, the sync fails and says why")
    func replaced() async throws {
        let (scratch, history) = try History.new()
        let people = try TwoPeople(.exist)
        let tokens = AlternatingTokens(only: "ada")
        people.refuse("/api/2/averages/") { tokens.change(to: "bob") }
        let error = await thrown(IdentityChange.self) { try await people.sync(history, tokens) }
        #expect(error == IdentityChange(account: "maya"))
        let runs = try history.query("SELECT outcome, kind, error FROM sync_run").rows
        #expect(runs.map { $0[0..<2] } == [["failed", "identity"]])
        #expect(runs[0][2].text?.hasPrefix("The account “maya” has the data of another person") == true)
        #expect(try people.owners(in: history) == ["ada"])
        // The new token is sent only in the request that asks for its owner.
        let sent = people.server.requests.filter { $0.headers["Authorization"]?.contains("bob") == true }
        #expect(sent.map(\.path) == ["/api/2/accounts/profile/"])
        _ = scratch
    }

    @Test("A new token of the same person costs a sync one extra request")
    func renewed() async throws {
        let (scratch, history) = try History.new()
        let people = try TwoPeople(.exist)
        let usual = try await people.sync(history, AlternatingTokens(only: "ada")).requests
        let tokens = AlternatingTokens(only: "ada")
        people.refuse("/api/2/averages/") { tokens.change(to: "ada", number: 2) }
        // One more request asks for the token's owner, and the refused request is sent again.
        #expect(try await people.sync(history, tokens).requests == usual + 2)
        _ = scratch
    }
}

/// A source that returns tokens of two people, such as `ada-1`, in random order, or the tokens that a test sets.
private final class AlternatingTokens: TokenSource {
    private let state: Locked<(random: SeededGenerator, current: String)>
    private let oneIn: Int

    init(seed: UInt64, oneIn: Int) {
        (state, self.oneIn) = (Locked((SeededGenerator(seed: seed), "ada-1")), oneIn)
        turn(always: true)
    }

    init(only person: String) { (state, oneIn) = (Locked((SeededGenerator(seed: 0), "\(person)-1")), .max) }

    func change(to person: String, number: Int = 1) { state.withLock { $0.current = "\(person)-\(number)" } }

    private func turn(always: Bool) {
        state.withLock { state in
            guard oneIn < .max, always || Int.random(in: 0..<oneIn, using: &state.random) == 0 else { return }
            state.current = ["ada-1", "ada-2", "bob-1", "bob-2"].randomElement(using: &state.random) ?? "ada-1"
        }
    }

    func token() -> Promise<String> {
        turn(always: false)
        return .value(state.withLock(\.current))
    }

    func token(replacing rejected: String) -> Promise<String> {
        turn(always: true)
        return .value(state.withLock(\.current))
    }
}

/// A service at which Ada and Bob each have an account, with different data.
private final class TwoPeople: Sendable {
    let server: LoopbackServer
    let refusals = Locked((random: SeededGenerator(seed: 0), oneIn: Int.max))
    private let refused = Locked<(path: String, act: @Sendable () -> Void)?>(nil)
    private let service: History.Service
    private let fixtures: [any HistoryFixture]

    init(_ service: History.Service) throws {
        self.service = service
        let tables: [String: [ServerRoute]]
        switch service {
        case .exist:
            let (ada, bob) = (try ExistFixture(attributes: ["steps"]), try ExistFixture(attributes: ["steps", "bobs"]))
            for number in 1...2 {
                ada.sandbox.addToken("ada-\(number)", username: "ada")
                bob.sandbox.addToken("bob-\(number)", username: "bob")
            }
            ada.setValues(of: "steps", daysAgo: 0..<70, to: 1)
            bob.setValues(of: "steps", daysAgo: 0..<70, to: 2)
            (fixtures, tables) = ([ada, bob], ["ada": ada.sandbox.routes, "bob": bob.sandbox.routes])
        case .mydatahelps:
            let (ada, bob) = (try ParticipantFixture(isEmpty: true), try ParticipantFixture(isEmpty: true))
            for number in 1...2 {
                ada.sandbox.addToken("ada-\(number)", of: ada.sandbox.participantIdentifier)
                bob.sandbox.addToken("bob-\(number)", of: "bob")
            }
            for number in 1...40 {
                let given = Date.friday.addingTimeInterval(-86_400 * Double(number))
                ada.sandbox.putAnswer(number, result: number, ["1"], inserted: given)
                bob.sandbox.putAnswer(100 + number, result: 100 + number, ["2"], inserted: given)
                ada.sandbox.putTask(number, status: "complete", inserted: given, modified: given)
            }
            (fixtures, tables) = ([ada, bob], ["ada": ada.sandbox.routes, "bob": bob.sandbox.routes])
        }
        server = LoopbackServer(routes: [])
        try server.start()
        server.script.next(.max) { [refusals, refused] request in
            let act = refused.withLock { refused in
                defer { if refused?.path == request.path { refused = nil } }
                return refused?.path == request.path ? refused?.act : nil
            }
            if let act {
                act()
                return .empty(401)
            }
            let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
            let isRefused = refusals.withLock { state in
                state.oneIn < .max && Int.random(in: 0..<state.oneIn, using: &state.random) == 0
            }
            if isRefused { return .empty(401) }
            return tables[String(token.prefix(3))]?.respond(to: request) ?? .empty(404)
        }
    }

    deinit { server.stop() }

    /// Refuses the next request for a path, and calls `act` at that moment.
    func refuse(_ path: String, _ act: @escaping @Sendable () -> Void) { refused.withLock { $0 = (path, act) } }

    @discardableResult
    func sync(
        _ history: History, _ tokens: AlternatingTokens, _ change: (inout SyncOptions) -> Void = { _ in }
    ) async throws -> SyncSummary {
        let options = ManualTimekeeper(start: .friday).options(change)
        func adapt(_ options: inout EndpointClient.Options) { (options.retry, options.timeout) = (.never, 600) }
        switch service {
        case .exist:
            let existAPI = ExistAPI(
                source: tokens, baseURL: server.baseURL, options: ExistAPI.defaultOptions.with { adapt(&$0) })
            return try await history.sync(existAPI, as: "maya", options: options).value
        case .mydatahelps:
            let client = MyDataHelpsClient(
                baseURL: server.baseURL, options: MyDataHelpsClient.defaultOptions.with { adapt(&$0) })
            let session = ParticipantSession(client: client, tokens: tokens)
            return try await history.sync(session, as: "maya", options: options).value
        }
    }

    /// Returns the names of the people to whom the account's stored rows belong.
    func owners(in history: History) throws -> Set<String> {
        let (names, rows) =
            switch service {
            case .exist:
                (
                    "SELECT username FROM account",
                    "SELECT value FROM value UNION SELECT 2 FROM attribute WHERE name = 'bobs'"
                )
            case .mydatahelps:
                (
                    "SELECT CASE identifier WHEN 'bob' THEN 'bob' ELSE 'ada' END FROM participant",
                    "SELECT answer FROM survey_answer UNION SELECT 1 FROM survey_task"
                )
            }
        let found = try history.query(rows).rows.map { $0[0] == 1 ? "ada" : "bob" }
        return Set(try history.query(names).rows.compactMap { $0[0].text } + found)
    }
}
