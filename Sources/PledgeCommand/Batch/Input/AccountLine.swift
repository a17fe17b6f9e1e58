import Foundation

/// A line of input: an account and its token.
///
/// `{"service":"exist","account":"a-17","token":"…"}`; the token may be `{"env":"NAME"}` or `{"file":"PATH"}` instead,
/// and `"address":"https://…"` names the server that it is for.
struct AccountLine: Sendable {
    var number: Int
    var id: AccountID
    /// The base URL of the server that the token is for; nil if the line has none.
    var address: URL?
    var isSimpleToken: Bool
    /// The token, in a closure, where neither `print` nor `dump` finds it.
    var token: @Sendable () throws -> String

    /// The maximum length of a name: longer ones are mistakes, and resuming reads it from the start of each result.
    static let longestName = 1024

    init(_ bytes: [UInt8], number: Int, environment: [String: String]) throws(BadLine) {
        self.number = number
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
        token = try Self.token(object["token"], environment, problem)
    }

    /// The owner of the account's limits: its token, which other accounts may share.
    var tokenKey: AccountKey {
        // Without a token nothing is sent, and so nothing is limited.
        let token = (try? token()).map { "token \($0)" } ?? "line \(number)"
        return AccountKey("\(id.service.rawValue) \(token)".utf8)
    }

    /// The maximum size of a token file, in bytes.
    private static let longest = 16_384

    private static func token(
        _ json: Any?, _ environment: [String: String], _ problem: (String) -> BadLine
    ) throws(BadLine) -> @Sendable () throws -> String {
        if let text = json as? String {
            guard text.isEmpty else { return { text } }
            return { throw NoToken(problem: "“token” is empty") }
        }
        let place = json as? [String: String] ?? [:]
        if place.count == 1, let name = place["env"] {
            return {
                let token = environment[name, default: ""].trimmingCharacters(in: .whitespacesAndNewlines)
                guard !token.isEmpty else {
                    throw NoToken(problem: "the environment variable \(name) is not set")
                }
                return token
            }
        }
        guard place.count == 1, let path = place["file"] else {
            throw problem("“token” is neither a string nor {\"env\":\"NAME\"} nor {\"file\":\"PATH\"}")
        }
        return {
            guard let file = SystemFile(reading: path), file.isRegular, let bytes = try? file.read(longest + 1, at: 0)
            else {
                throw NoToken(problem: "the token's file \(path) cannot be read")
            }
            guard bytes.count <= longest else {
                throw NoToken(problem: "the token's file \(path) is longer than any token")
            }
            let token = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            guard !token.isEmpty else { throw NoToken(problem: "the token's file \(path) is empty") }
            return token
        }
    }
}

/// A line that names no account. The error states its position, and never its content.
struct BadLine: Error, CustomStringConvertible {
    var number: Int
    var problem: String

    var description: String { "Line \(number) was skipped: \(problem)." }
}

/// The error for a missing token.
struct NoToken: Error, CustomStringConvertible {
    var problem: String

    var description: String { "There is no token: \(problem)." }
}
