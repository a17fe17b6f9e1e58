import Foundation
import PledgeTestSupport

@testable import PledgeSandbox

/// A suite with a running sandbox and a clock of its own. The clock begins at noon on Saturday, 2 March 2024, in a time zone
/// one hour ahead of UTC.
class SandboxSuite {
    static let noon = Date(timeIntervalSince1970: 1_709_377_200)
    static let today = CalendarDay(number: 19_784)

    private let server: LoopbackServer
    private let time: Protected<Date>

    init(_ server: LoopbackServer, _ time: Protected<Date>) { (self.server, self.time) = (server, time) }

    deinit { server.stop() }

    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    /// Returns JSON with about a line for each item, so that a difference is easy to read.
    func items(_ json: String) -> String { json.replacing("},{", with: "},\n{") + "\n" }

    func items(_ json: some Sequence<ServerJSON>) throws -> String {
        items(String(decoding: try ServerJSON.array(Array(json)).encoded(), as: UTF8.self))
    }

    /// Sends a request with a credential. An empty credential is not sent.
    func exchange(
        _ method: String, _ target: String, as credential: String, _ body: String = "", type: String? = nil
    ) throws -> ResponseBytes {
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: \(body.utf8.count)\r\n"
        if !credential.isEmpty { head += "Authorization: \(credential)\r\n" }
        if let type { head += "Content-Type: \(type)\r\n" }
        guard let response = try RawClient(server.baseURL).ask(head + "\r\n" + body) else {
            throw RawClient.Failure(call: "no response to \(target)")
        }
        return response
    }

    /// Sends JSON with a credential.
    func send(_ json: ServerJSON?, to target: String, as credential: String) throws -> ResponseBytes {
        let body = try json.map { String(decoding: try $0.encoded(), as: UTF8.self) } ?? ""
        return try exchange("POST", target, as: credential, body, type: "application/json")
    }

    /// Sends a form without a credential.
    func form(_ target: String, _ body: String) throws -> ResponseBytes {
        try exchange("POST", target, as: "", body, type: "application/x-www-form-urlencoded")
    }
}

/// A suite with a running Exist sandbox.
class ExistSuite: SandboxSuite {
    let sandbox: ExistSandbox

    init() throws {
        let time = Protected(Self.noon)
        sandbox = try .start(now: { time.current }, timeZone: TimeZone(secondsFromGMT: 3_600) ?? .current)
        super.init(sandbox.server, time)
    }

    /// Requests `path` below `/api/2/` with the full token, unless another credential is given.
    func get(_ path: String, as credential: String? = nil) throws -> ResponseBytes {
        try exchange("GET", "/api/2/\(path)", as: credential ?? "Bearer \(sandbox.token)")
    }

    /// Sends JSON to `path` below `/api/2/`.
    @discardableResult
    func post(_ path: String, _ json: ServerJSON, as credential: String? = nil) throws -> ResponseBytes {
        try send(json, to: "/api/2/\(path)", as: credential ?? "Bearer \(sandbox.token)")
    }

    /// Requests a list below `/api/2/`, and returns its items.
    func results(_ path: String, as credential: String? = nil) throws -> [ServerJSON] {
        try get(path, as: credential).json["results"].array ?? []
    }
}

/// A suite with a running MyDataHelps sandbox.
class MyDataHelpsSuite: SandboxSuite {
    let sandbox: MyDataHelpsSandbox

    init() throws {
        let time = Protected(Self.noon)
        sandbox = try .start(now: { time.current }, checkSignature: { $0.contains(0x2E) && $1 == Data("sig".utf8) })
        super.init(sandbox.server, time)
    }

    private var participant: String { "Bearer \(sandbox.token)" }

    /// Requests `path` below `/api/v1/delegated/` as the participant, unless another token is given.
    func get(_ path: String, token: String? = nil) throws -> ResponseBytes {
        try exchange(
            "GET", "/api/v1/delegated/\(path)", as: token.map { $0.isEmpty ? "" : "Bearer \($0)" } ?? participant)
    }

    /// Sends JSON to `path` below `/api/v1/delegated/`.
    func post(_ path: String, _ json: ServerJSON? = nil) throws -> ResponseBytes {
        try send(json, to: "/api/v1/delegated/\(path)", as: participant)
    }

    func delete(_ path: String) throws -> ResponseBytes {
        try exchange("DELETE", "/api/v1/delegated/\(path)", as: participant)
    }

    /// Sends a form to the token endpoint.
    func form(_ fields: [String: String]) throws -> ResponseBytes {
        let body = fields.sorted { $0.key < $1.key }.map { "\($0)=\(escaped($1))" }
        return try form("/identityserver/connect/token", body.joined(separator: "&"))
    }

    /// Returns a text in which every character that could have a meaning in a query is escaped.
    func escaped(_ text: String?) -> String { text?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }

    /// Returns the form with an assertion that is correct except for the given members of its header and claims.
    func assertion(_ changes: [String: ServerJSON] = [:], signature: String = "c2ln") throws -> [String: String] {
        let account: ServerJSON = "MyDataHelps.4711.NordicSleep"
        let claims: [String: ServerJSON] = [
            "iss": account, "sub": account, "aud": "http://127.0.0.1/identityserver/connect/token",
            "exp": 1_709_377_400, "jti": "3f2b8d0e-6f15-4d1f-8b57-0c7e6f9a2d11",
        ]
        let header: [String: ServerJSON] = ["alg": "RS256", "typ": "JWT"]
        let parts = try [
            header.merging(changes.filter { header.keys.contains($0.key) }) { $1 },
            claims.merging(changes.filter { !header.keys.contains($0.key) }) { $1 },
        ].map { part in
            try ServerJSON.object(part).encoded().base64EncodedString().replacingOccurrences(of: "=", with: "")
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        }
        return [
            "scope": "api", "grant_type": "client_credentials",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            "client_assertion": "\(parts[0]).\(parts[1]).\(signature)",
        ]
    }

    /// Requests a new token of the service account.
    func serviceToken() throws -> String {
        try form(assertion(["jti": .string(UUID().uuidString)])).json["access_token"].string ?? ""
    }

    /// Requests a token for a participant, by default the first one. Spaces separate the scopes.
    func participantToken(
        _ scopes: String, of id: String? = nil, _ changes: [String: String] = [:]
    ) throws -> ResponseBytes {
        let fields = [
            "scope": scopes, "grant_type": "delegated_participant", "participant_id": id ?? sandbox.participantID,
            "client_id": "MyDataHelps.DelegatedParticipant", "client_secret": "secret", "token": try serviceToken(),
        ]
        return try form(fields.merging(changes) { $1 })
    }

    /// Requests `path` below the project's address, with a new token of the service account unless another token is given.
    func administration(_ path: String, project: String? = nil, token: String? = nil) throws -> ResponseBytes {
        let path = "/api/v1/administration/projects/\(project ?? sandbox.projectID)/\(path)"
        return try exchange("GET", path, as: "Bearer \(token ?? serviceToken())")
    }
}
