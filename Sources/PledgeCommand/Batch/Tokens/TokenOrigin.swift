import Foundation
import MyDataHelpsKit
import Pledge
import PledgeHTTP

/// The origin of a line's token. It consists of closures, in which neither `print` nor `dump` finds a token.
struct TokenOrigin: Sendable {
    typealias Source =
        @Sendable (
            _ client: () -> MyDataHelpsClient, _ address: URL, _ options: EndpointClient.Options
        ) -> any TokenSource

    /// Whether reading again may return another token.
    let mayChange: Bool
    /// Returns the identity of the rate limit's owner: the token itself if it is known; nil if there is no token.
    let owner: @Sendable () -> String?
    /// Returns the tokens of an account in a run, which reject with ``NoToken`` if there is none.
    ///
    /// - Parameters:
    ///   - client: Creates the account's client, which requests new tokens.
    ///   - address: The server of the account's requests.
    ///   - options: The options of a client that renews tokens.
    let source: Source

    init(owner: @escaping @Sendable () -> String?, source: @escaping Source) {
        (mayChange, self.owner, self.source) = (true, owner, source)
    }

    private init(
        mayChange: Bool = true, owner: @escaping @Sendable () -> String?,
        read: @escaping @Sendable () -> Promise<String>
    ) {
        (self.mayChange, self.owner) = (mayChange, owner)
        source = { _, _, _ in ReadTokens(mayChange: mayChange, read) }
    }

    init(_ json: Any?, of service: AccountID.Service, _ environment: [String: String]) throws(BadLine) {
        if let text = json as? String {
            self = .text(mayChange: false) {
                guard !text.isEmpty else { throw NoToken(problem: "“token” is empty") }
                return text
            }
            return
        }
        let members = json as? [String: Any] ?? [:]
        let (form, value) = members.count == 1 ? members.first ?? ("", "") : ("", "")
        switch (form, value) {
        case ("env", let name as String):
            let secret = StoredSecret("token", inVariable: name, of: environment)
            self = .text(mayChange: false, secret.text)
        case ("file", let path as String): self = .file(path: path)
        case ("command", let words as [String]):
            guard let command = TokenCommand(words, environment) else {
                throw BadLine("“command” in “token” is not a list of a program and its arguments")
            }
            self = .command(command)
        case ("profile", let name as String):
            guard let origin = Self.profile(name, of: service, environment) else {
                throw BadLine("“profile” in “token” is not the name of a profile of “pledge login”")
            }
            self = origin
        case ("serviceAccount", _) where service == .mydatahelps:
            guard let origin = Self.serviceAccount(value, environment) else {
                throw BadLine(
                    "“serviceAccount” in “token” is not {\"name\":\"…\",\"key\":{\"file\":\"PATH\"} or {\"env\":\"NAME\"},"
                        + "\"project\":\"…\",\"participant\":\"…\"}")
            }
            self = origin
        default:
            throw BadLine(
                "“token” is neither a string nor one of {\"env\":\"NAME\"}, {\"file\":\"PATH\"}, "
                    + "{\"command\":[\"PROGRAM\",…]}, {\"profile\":\"NAME\"}, and for MyDataHelps {\"serviceAccount\":{…}}"
            )
        }
    }

    private static func text(mayChange: Bool = true, _ read: @escaping @Sendable () throws -> String) -> TokenOrigin {
        TokenOrigin(mayChange: mayChange, owner: { (try? read()).map { "token \($0)" } }) {
            firstly { Promise.value(try read()) }
        }
    }

    static func file(path: String) -> TokenOrigin { text(StoredSecret("token", inFile: path).text) }

    static func command(_ command: TokenCommand) -> TokenOrigin {
        TokenOrigin(owner: { "command \(command.identity)" }) {
            command.run().map(on: nil) { output in
                let token = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
                guard !token.isEmpty else { throw NoToken(problem: "\(command) printed nothing") }
                return token
            }
        }
    }
}
