import Foundation

@testable import PledgeSandbox

/// A running MyDataHelps sandbox with its own clock, at noon on Saturday, 2 March 2024, one hour ahead of UTC.
final class MyDataHelpsBench: Sendable {
    static let noon = Date(timeIntervalSince1970: 1_709_377_200)

    let sandbox: MyDataHelpsSandbox
    private let time = Protected(noon)

    init() throws {
        let time = time
        sandbox = try MyDataHelpsSandbox.start(now: { time.current })
    }

    deinit {
        sandbox.stop()
    }

    func advance(_ seconds: TimeInterval) {
        time.withLock { $0 += seconds }
    }

    /// Requests `path` below `/api/v1/delegated/`.
    func get(_ path: String, token: String? = nil) throws -> RawReply {
        try exchange("GET", "/api/v1/delegated/\(path)", token: token)
    }

    /// Sends JSON to `path` below `/api/v1/delegated/`.
    func post(_ path: String, _ json: SandboxJSON? = nil) throws -> RawReply {
        let body = try json.map { String(decoding: try $0.encoded(), as: UTF8.self) } ?? ""
        return try exchange("POST", "/api/v1/delegated/\(path)", body, type: "application/json")
    }

    /// Sends a form to the token endpoint.
    func form(_ fields: [String: String]) throws -> RawReply {
        let body = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        return try exchange(
            "POST", "/identityserver/connect/token", body.joined(separator: "&"),
            type: "application/x-www-form-urlencoded", token: "")
    }

    func exchange(
        _ method: String, _ target: String, _ body: String = "", type: String? = nil, token: String? = nil
    ) throws -> RawReply {
        let client = try RawClient(sandbox.baseURL)
        var head = "\(method) \(target) HTTP/1.1\r\nHost: sandbox.test\r\nContent-Length: \(body.utf8.count)\r\n"
        if token != "" { head += "Authorization: Bearer \(token ?? sandbox.token)\r\n" }
        if let type { head += "Content-Type: \(type)\r\n" }
        client.send(head + "\r\n" + body)
        guard let reply = try client.reply() else { throw RawClient.Failure(call: "no reply to \(target)") }
        return reply
    }
}
