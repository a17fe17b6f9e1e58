import Foundation
import PledgeBatch

/// A line of input: an account and its token.
///
/// `{"service":"exist","account":"a-17","token":"…"}`; the token may be an object that says where it comes
/// from, and `"address":"https://…"` names the server that it is for.
struct AccountLine: Sendable {
    var id: AccountID
    /// The base URL of the server that the token is for; nil if the line has none.
    var address: URL?
    var isSimpleToken: Bool
    var token: TokenOrigin

    /// The maximum length of a name: longer ones are mistakes, and resuming reads it from the start of each result.
    static let longestName = 1024

    init(_ bytes: [UInt8], environment: [String: String]) throws(BadLine) {
        // Not Foundation's message, which may quote the line, and thus the token.
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
        case nil, is NSNull, "bearer" as String: isSimpleToken = false
        case "simple" as String where service == .exist: isSimpleToken = true
        default: throw BadLine("“kind” is neither “bearer” nor, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”")
            } catch {
                throw BadLine(String(error.description.dropLast()))
            }
        default: throw BadLine("“address” is not a string")
        }
        token = try TokenOrigin(object["token"], of: service, environment)
    }

    /// The owner of the account's limits: its token, which other accounts may share. The token that replaces it has the
    /// same limits in this run. Nil without a token: nothing is sent then, and so nothing is limited.
    var tokenKey: HashKey? { token.owner().map { HashKey(id.service.rawValue, $0) } }
}

/// Why a line names no account, as a clause with nothing from the line.
struct BadLine: Error {
    var problem: String

    init(_ problem: String) { self.problem = problem }
}
