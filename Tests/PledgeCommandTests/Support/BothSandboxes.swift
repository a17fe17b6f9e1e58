import Foundation
import Pledge
import PledgeSandbox
import PledgeTestSupport

@testable import PledgeCommand
@testable import PledgeServer

/// The sandboxes of both services at one address, with as many accounts as a test needs.
struct BothSandboxes {
    let exist: ExistSandbox
    let participants: MyDataHelpsSandbox
    let server: LoopbackServer

    /// - Parameters:
    ///   - isEmpty: Whether the accounts have no data. This saves most of the time of a test that needs no data.
    ///   - now: The clock of the services. Today's values grow with this clock.
    init(
        isEmpty: Bool = false, now: @escaping @Sendable () -> Date = { TestClock.noon }, zone: TimeZone = .current
    ) throws {
        exist = ExistSandbox(now: now, timeZone: zone, isEmpty: isEmpty)
        participants = MyDataHelpsSandbox(now: now, isEmpty: isEmpty)
        server = LoopbackServer(routes: exist.routes + participants.routes)
        try server.start()
    }

    var environment: [String: String] {
        ["EXIST_BASE_URL": server.baseURL.absoluteString, "MYDATAHELPS_BASE_URL": server.baseURL.absoluteString]
    }

    /// The environment of a person who has an account of each service.
    var ownEnvironment: [String: String] {
        environment.adding(["EXIST_TOKEN": exist.token, "MYDATAHELPS_TOKEN": participants.token])
    }

    /// Starts a run, and calls `act` at the request with this number, for example in order to stop the run.
    func start<Run: Sendable>(
        stopping act: @escaping @Sendable (Run) -> Void, atRequest number: Int, _ start: () throws -> Run
    ) throws -> Run {
        let counter = Counter()
        server.script.reset()
        return try self.start(start) { _, run in
            if counter.next() == number { act(run) }
            return nil
        }
    }

    /// Starts a run whose requests go to a closure. The closure may act on the run. It returns a response, or nil to
    /// let the services respond.
    func start<Run: Sendable>(
        matching pattern: String = "", _ start: () throws -> Run,
        answering respond: @escaping @Sendable (ServerRequest, Run) -> ServerResponse?
    ) throws -> Run {
        let (run, resolver) = Promise<Run>.pending()
        server.script.next(.max, matching: pattern) { request in (try? run.wait()).flatMap { respond(request, $0) } }
        let started = try start()
        resolver.fulfill(started)
        return started
    }

    /// Lets a closure change the JSON of each response of the services.
    func rewrite(_ change: @escaping @Sendable (ServerRequest, ServerJSON) -> ServerJSON) {
        let table = exist.routes + participants.routes
        // Changed responses are kept, because tests send the same request several times.
        let known = Locked<[String: ServerResponse]>([:])
        server.script.next(.max) { request in
            let name = "\(request.method) \(request.target) \(request.headers["Authorization"] ?? "")"
            if request.method == "GET", let response = known.withLock({ $0[name] }) { return response }
            let response = table.respond(to: request)
            guard let json = ServerJSON(response.body), let body = try? change(request, json).encoded() else {
                return response
            }
            let changed = ServerResponse(status: response.status, headers: response.headers, body: body)
            known.withLock { $0[name] = changed }
            return changed
        }
    }

    /// Adds an account and returns its line of input. Accounts with odd numbers are of Exist, others of MyDataHelps.
    func line(_ number: Int) -> String {
        if number.isMultiple(of: 2) {
            participants.addToken("secret-participant-\(number)", of: "participant-\(number)")
            return #"{"service":"mydatahelps","account":"a\#(number)","token":"secret-participant-\#(number)"}"#
        }
        exist.addToken("secret-exist-\(number)", username: "user of a\(number)")
        return #"{"service":"exist","account":"a\#(number)","token":"secret-exist-\#(number)"}"#
    }

    func lines(_ numbers: ClosedRange<Int>) -> String { numbers.map { line($0) + "\n" }.joined() }
}

extension ExistSandbox {
    /// The environment of a person who has only this account.
    var environment: [String: String] { ["EXIST_TOKEN": token, "EXIST_BASE_URL": baseURL.absoluteString] }
}
