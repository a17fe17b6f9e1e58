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

    init(_ bytes: [UInt8], number: Int, environment: [String: String]) throws(BadLine) {
        func problem(_ text: String) -> BadLine { BadLine(number: number, problem: text) }
        // Not Foundation's message, which may quote the line, and thus the token.
        guard let json = try? JSONSerialization.jsonObject(with: Data(bytes)), let object = json as? [String: Any]
        else {
            throw problem("it is not a JSON object on one line")
        }
        guard let word = object["service"] as? String, let service = AccountID.Service(rawValue: word) else {
            throw problem("“service” is neither “exist” nor “mydatahelps”")
        }
        guard let account = object["account"] as? String, !account.isEmpty else {
            throw problem("“account” is missing, or not a string")
        }
        guard account.utf8.count <= Self.longestName else {
            throw problem("“account” is longer than \(Self.longestName) bytes")
        }
        id = AccountID(service: service, account: account)
        switch object["kind"] {
        case nil, is NSNull, "bearer" as String: isSimpleToken = false
        case "simple" as String where service == .exist: isSimpleToken = true
        default: throw problem("“kind” is neither “bearer” nor, for Exist, “simple”")
        }
        switch object["address"] {
        case nil, is NSNull: address = nil
        case let text as String:
            do throws(UsageError) {
                address = try service.address(text, from: "“address”")
            } catch {
                throw problem(String(error.description.dropLast()))
            }
        default: throw problem("“address” is not a string")
        }
        do throws(TokenOrigin.Invalid) {
            token = try TokenOrigin(object["token"], of: service, environment)
        } catch {
            throw problem(error.problem)
        }
    }

    /// The owner of the account's limits: its token, which other accounts may share. The token that replaces it has the
    /// same limits in this run. Nil without a token: nothing is sent then, and so nothing is limited.
    var tokenKey: HashKey? { token.owner().map { HashKey(id.service.rawValue, $0) } }
}

/// A line that names no account. The error states its position, and never its content.
struct BadLine: Error, CustomStringConvertible {
    var number: Int
    var problem: String

    var description: String { "Line \(number) was skipped: \(problem)." }
}
