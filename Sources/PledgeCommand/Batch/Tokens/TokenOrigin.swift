import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeHTTP

/// Where the token of a line comes from.
enum TokenOrigin: Sendable {
    /// The line, or a variable, in a closure, where neither `print` nor `dump` finds the token.
    case fixed(@Sendable () throws -> String)
    case file(path: String)
    case command(TokenCommand)
    case profile(StoredForLine)
    case issued(IssuedForParticipant)

    /// What is wrong with a line's “token”, as a clause with nothing from the line.
    struct Invalid: Error {
        var problem: String
    }

    /// The maximum size of a token, in bytes.
    static let longest = 16_384

    init(_ json: Any?, of service: AccountID.Service, _ environment: [String: String]) throws(Invalid) {
        if let text = json as? String {
            self = .fixed {
                guard !text.isEmpty else { throw NoToken(problem: "“token” is empty") }
                return text
            }
            return
        }
        guard let members = json as? [String: Any], let (form, value) = members.first, members.count == 1 else {
            throw Self.unknown
        }
        switch (form, value) {
        case ("env", let name as String):
            self = .fixed {
                try Self.trimmed(environment[name, default: ""], "the environment variable \(name) is not set")
            }
        case ("file", let path as String): self = .file(path: path)
        case ("command", let words as [String]):
            guard let command = TokenCommand(words, environment) else {
                throw Invalid(problem: "“command” in “token” is not a list of a program and its arguments")
            }
            self = .command(command)
        case ("profile", let name as String):
            guard let stored = StoredForLine(name, of: service, environment) else {
                throw Invalid(problem: "“profile” in “token” is not the name of a profile of “pledge login”")
            }
            self = .profile(stored)
        case ("serviceAccount", _) where service == .mydatahelps:
            guard let issued = IssuedForParticipant(value, environment) else {
                throw Invalid(
                    problem:
                        "“serviceAccount” in “token” is not {\"name\":\"…\",\"key\":{\"file\":\"PATH\"} or {\"env\":\"NAME\"},"
                        + "\"project\":\"…\",\"participant\":\"…\"}")
            }
            self = .issued(issued)
        default: throw Self.unknown
        }
    }

    private static let unknown = Invalid(
        problem: "“token” is neither a string nor one of {\"env\":\"NAME\"}, {\"file\":\"PATH\"}, "
            + "{\"command\":[\"PROGRAM\",…]}, {\"profile\":\"NAME\"}, and for MyDataHelps {\"serviceAccount\":{…}}")

    /// Whether it may have another token when it is read again.
    var mayChange: Bool { if case .fixed = self { false } else { true } }

    /// The identity of whoever has the limits: the token itself if it is at hand. Nil if there is none.
    var owner: String? {
        switch self {
        case .fixed(let read): (try? read()).map { "token \($0)" }
        case .file(let path): (try? Self.token(inFile: path)).map { "token \($0)" }
        case .command(let command): "command \(command.identity)"
        case .profile(let stored): "profile \(stored.profile)"
        case .issued(let issued): "service account \(issued.identity)"
        }
    }

    /// Returns the tokens of an account in a run, which reject with ``NoToken`` if there is none.
    ///
    /// - Parameters:
    ///   - client: The account's client, with which tokens are issued.
    ///   - address: Where the account's requests go.
    ///   - options: The options of a client that renews tokens.
    func tokens(
        over client: @autoclosure () -> MyDataHelpsClient, at address: URL, _ options: EndpointClient.Options
    ) -> any TokenSource {
        switch self {
        case .fixed(let read):
            ReadTokens(mayChange: false) { firstly { Promise.value(try read()) } }
        case .file(let path):
            ReadTokens { firstly { Promise.value(try Self.token(inFile: path)) } }
        case .command(let command):
            ReadTokens {
                command.run().map(on: nil) { output in
                    try Self.trimmed(String(decoding: output, as: UTF8.self), "\(command) printed nothing")
                }
            }
        case .profile(let stored): stored.tokens(at: address, options)
        case .issued(let issued): issued.tokens(over: client())
        }
    }

    static func trimmed(_ text: String, _ problem: @autoclosure () -> String) throws -> String {
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else { throw NoToken(problem: problem()) }
        return token
    }

    static func token(inFile path: String) throws -> String {
        guard let file = SystemFile(reading: path), file.isRegular, let bytes = try? file.read(longest + 1, at: 0)
        else {
            throw NoToken(problem: "the token's file \(path) cannot be read")
        }
        guard bytes.count <= longest else {
            throw NoToken(problem: "the token's file \(path) is longer than any token")
        }
        return try trimmed(String(decoding: bytes, as: UTF8.self), "the token's file \(path) is empty")
    }
}

/// The error for a missing token.
struct NoToken: Error, CustomStringConvertible {
    var problem: String

    var description: String { "There is no token: \(problem)." }
}
