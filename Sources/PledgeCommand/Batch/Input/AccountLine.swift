import Foundation
import PledgeBatch
import PledgeCoding

/// A line of input, such as `{"service":"exist","account":"a-17","token":"…"}`.
///
/// The token may be an object that specifies its origin; `"address":"https://…"` specifies the token's server.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the token's server, if the line has one.
    var address: URL?
    var kind: ExistCredential.Kind
    var token: TokenOrigin

    /// The maximum length of a name, since resuming reads it from the start of each result; longer ones are mistakes.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Foundation's message may quote the line, and thus the token.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = json as? [String: Any]
        else {
            throw BadLine("it is not a JSON object on one line")
        }
        guard let word = object["service"] as? String, let service = AccountID.Service(rawValue: word) else {
            throw BadLine("“service” is neither “exist” nor “mydatahelps”")
        }
        guard let account = object["account"] as? String, !account.isEmpty else {
            throw BadLine("“account” is missing, or not a string")
        }
        guard account.utf8.count <= Self.longestName else {
            throw BadLine("“account” is longer than \(Self.longestName) bytes")
        }
        id = AccountID(service: service, account: account)
        switch object["kind"] {
        case nil, is NSNull, "bearer" as String: kind = .bearer
        case "simple" as String where service == .exist: kind = .simple
        default: throw BadLine("“kind” is neither “bearer” nor, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”", environment)
            } catch {
                throw BadLine(String(error.description.dropLast()))
            }
        default: throw BadLine("“address” is not a string")
        }
        token = try TokenOrigin(object["token"], of: service, kind, environment)
    }
}

/// The reason a line is not an account, as a clause without text from the line.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
