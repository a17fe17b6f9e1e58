import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

/// A sandbox with a fixed date and time zone, and a client for it. The sandbox runs as long as the case is alive.
final class SandboxCase: Sendable {
    /// Saturday, 2 March 2024, noon in Stockholm.
    static let noon = Date(timeIntervalSince1970: 1_709_377_200)
    static let today = "2024-03-02"
    static let zone = TimeZone(identifier: "Europe/Stockholm") ?? .gmt

    let sandbox: ExistSandbox
    let existAPI: ExistAPI
    let unreadable = Recorder<String>()

    init(
        zone: String = "Europe/Stockholm", now: Date = SandboxCase.noon, token: String? = nil,
        kind: ExistAPI.TokenKind = .bearer, timeout: TimeInterval = 600, retry: RetryRule = .never,
        clock: Timekeeper? = nil
    ) throws {
        let timeZone = TimeZone(identifier: zone) ?? .gmt
        sandbox = try ExistSandbox.start(now: { now }, timeZone: timeZone)
        let unreadable = unreadable
        existAPI = ExistAPI(
            token: token ?? sandbox.token, timeout: timeout, kind: kind, baseURL: sandbox.baseURL, timeZone: timeZone,
            options: ExistAPI.defaultOptions.with {
                // The app's own JSON coding must not affect the kit.
                ($0.retry, $0.json) = (retry, .snakeCase)
                $0.clock = clock ?? .standing(at: now)
                $0.onUnreadable = { list, item in unreadable.append("\(list) \(item)") }
            })
    }

    deinit { sandbox.stop() }

    /// The methods and targets of the requests that were sent, without the host.
    var targets: [String] { sandbox.server.requests.map { "\($0.method) \($0.target)" } }

    /// Sets the next response to a path, in place of the sandbox's own.
    func answer(_ path: String, status: Int = 200, _ json: String) {
        sandbox.server.script.next(
            matching: path,
            respond: ServerResponse(
                status: status, headers: ["Content-Type": "application/json"], body: Data(json.utf8)))
    }
}

extension Timekeeper {
    /// A clock that stands still. Its alarms never fire, because on a busy machine, real alarms could fire during any
    /// test.
    static func standing(at now: Date) -> Timekeeper { Timekeeper(now: { now }, schedule: { _, _ in {} }) }
}

func day(_ text: String) throws -> ExistDay {
    guard let day = ExistDay(text) else { throw NoSuchDay() }
    return day
}

struct NoSuchDay: Error {}

func decode<Value: Decodable>(_ json: String) throws -> Value { try decode(Value.self, json) }

func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

extension SandboxCase {
    /// Sets the next response to a path. The response is a sample, whose name ends with the status code.
    func answer(_ path: String, sample name: String) throws {
        let status = name.hasPrefix("{") ? nil : name.split(separator: "_").lazy.compactMap { Int($0) }.last
        answer(path, status: status ?? 200, try ExistKitTests.sample(name))
    }

    /// The JSON body of the last request.
    var lastBody: JSONValue? {
        get throws { try sandbox.server.requests.last.map { try JSONDecoder().decode(JSONValue.self, from: $0.body) } }
    }
}

/// Returns the sample with a name from the API's documentation, or the JSON that is passed instead of a name.
func sample(_ name: String) throws -> String {
    try name.hasPrefix("{") ? name : Repository.text("Tests/ExistKitTests/Fixtures/\(name).json")
}

/// Decodes a sample as a model.
func read<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value { try decode(type, try sample(name)) }

/// Decodes a sample of a request's body.
func sent(_ name: String) throws -> JSONValue { try read(JSONValue.self, name) }
