import Foundation

@testable import PledgeCommand

/// A result line, decoded as another program would decode it.
struct ResultLine {
    let json: [String: Any]
    let account: String
    let service: String

    init(_ text: String) throws {
        json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
        account = json["account"] as? String ?? ""
        service = json["service"] as? String ?? ""
    }

    /// The numbers that the line has about the account's run, except for the time.
    var run: [String: Int]? { (json["run"] as? [String: Any])?.compactMapValues { $0 as? Int } }

    var errorKind: String? { (json["error"] as? [String: Any])?["kind"] as? String }

    func list(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
}

extension LineBuffer {
    /// Creates the line of an account. The line has an error unless `error` is nil.
    convenience init(_ id: AccountID, error: (kind: String, passing: Bool)?) throws {
        self.init(id)
        try write { json in
            json.object(error == nil ? "profile" : "error") { json in
                if let error { json.field("kind", error.kind) }
                if error?.passing == true { json.field("passing", true) }
                json.field("text", String(repeating: "\"}{\\", count: 20))
            }
        }
    }

    /// The finished line.
    var text: String {
        get throws {
            var bytes: [UInt8] = []
            try finish { bytes += $0 }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
