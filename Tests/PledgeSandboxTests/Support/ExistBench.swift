import Foundation

@testable import PledgeSandbox

/// A running Exist sandbox with its own clock, at noon on Saturday, 2 March 2024, one hour ahead of UTC.
final class ExistBench: Sendable {
    static let noon = Date(timeIntervalSince1970: 1_709_377_200)

    static let today = CalendarDay(number: 19_784)

    let sandbox: ExistSandbox
    private let time = Protected(noon)

    init() throws {
        let time = time
        sandbox = try ExistSandbox.start(
            now: { time.current }, timeZone: TimeZone(secondsFromGMT: 3_600) ?? .current)
    }

    deinit {
        sandbox.stop()
    }

    func advance(_ seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }

    /// Requests `path` below `/api/2/` with the full token or with the given credential; an empty one sends none.
    func get(_ path: String, as credential: String? = nil) throws -> RawReply {
        try exchange("GET", "/api/2/\(path)", credential ?? "Bearer \(sandbox.token)", "", type: nil)
    }

    /// Sends JSON to `path` below `/api/2/`.
    func post(_ path: String, _ json: SandboxJSON, as credential: String? = nil) throws -> RawReply {
        let body = String(decoding: try json.encoded(), as: UTF8.self)
        return try exchange(
            "POST", "/api/2/\(path)", credential ?? "Bearer \(sandbox.token)", body, type: "application/json")
    }

    /// Sends a form to any path, without a credential.
    func form(_ path: String, _ body: String) throws -> RawReply {
        try exchange("POST", path, "", body, type: "application/x-www-form-urlencoded")
    }

    func exchange(
        _ method: String, _ target: String, _ credential: String, _ body: String, type: String?
    ) throws -> RawReply {
        let client = try RawClient(sandbox.baseURL)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: sandbox.test\r\nContent-Length: \(body.utf8.count)\r\n"
        if !credential.isEmpty { head += "Authorization: \(credential)\r\n" }
        if let type { head += "Content-Type: \(type)\r\n" }
        client.send(head + "\r\n" + body)
        guard let reply = try client.reply() else { throw RawClient.Failure(call: "no reply to \(target)") }
        return reply
    }
}
