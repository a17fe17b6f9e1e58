import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHTTP

@Suite("Errors of accounts")
struct AccountErrorTests {
    /// A transport that always has the same outcome.
    private struct Answer: HTTPTransport {
        let outcome: Result<HTTPReply, any Error>

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> { firstly { Promise.value(try outcome.get()) } }
    }

    /// Returns the kinds of error of both services for the same outcome.
    private func kinds(_ outcome: Result<HTTPReply, any Error>, token: String = "secret") async -> [String?] {
        let options = ExistAPI.defaultOptions.with { options in
            options.transport = Answer(outcome: outcome)
            options.retry = .never
        }
        let existAPI = ExistAPI(token: token, options: options)
        let session = ParticipantSession(
            client: MyDataHelpsClient(options: options), accessToken: ParticipantAccessToken(token: token))
        return await [kind(existAPI.user().asVoid()), kind(session.getParticipantInfo().asVoid())]
    }

    private func kind(_ call: Promise<Void>) async -> String? {
        await thrown((any Error).self) { try await call.value }.map { AccountError($0, isGarbled: false).kind }
    }

    @Test("A failed request is the same kind of error with both services")
    func transport() async {
        let errors: [(TransportError, String)] = [
            (.unreachable(""), "unreachable"), (.connectionLost(""), "unreachable"), (.untrusted(""), "untrusted"),
            (.timedOut(seconds: 1), "timedOut"), (.stalled(seconds: 1), "timedOut"),
            (.tooLarge(limit: 1), "unreadable"), (.badReply(""), "unreadable"), (.unsendable(""), "invalidArgument"),
        ]
        let others: [(any Error, String)] = [(PromiseError.cancelled, "cancelled"), (FileError("a disk"), "other")]
        for (error, kind) in errors + others { #expect(await kinds(.failure(error)) == [kind, kind], "\(error)") }
        let unsendable = await kinds(.failure(TransportError.unreachable("")), token: "a b")
        #expect(unsendable == ["invalidArgument", "invalidArgument"])
    }

    @Test("A status code is the same kind of error with both services")
    func statuses() async {
        for (status, kind) in [
            (200, "unreadable"), (302, "redirected"), (304, "redirected"), (400, "rejected"), (401, "unauthorized"),
            (403, "forbidden"), (404, "notFound"), (429, "rateLimited"), (500, "serviceFault"), (503, "serviceFault"),
        ] {
            let reply = HTTPReply(url: URL(fileURLWithPath: "/"), status: status, headers: [:], body: Data())
            #expect(await kinds(.success(reply)) == [kind, kind], "\(status)")
        }
    }

    @Test(
        "A refusal comes with advice in the tool's own words: for many accounts, for a given token, and for a stored one"
    )
    func advice() throws {
        let tokens = ["EXIST_TOKEN": "t", "MYDATAHELPS_TOKEN": "t"]
        let (given, stored) = try (
            Access(Arguments([], of: ProfileCommand.command, in: RunContext(environment: tokens))),
            Access(Arguments(["--profile", "a"], of: ProfileCommand.command, in: RunContext(environment: [:])))
        )
        let (hour, permission) = ("Wait up to an hour: \(ExistAPI.limitText).", "token that has this permission.")
        for (status, service, expected) in [
            (
                401, .exist,
                """
                Check the token: it may have expired. One created with a password needs "kind":"simple" beside it.
                Check EXIST_TOKEN: it may have expired. A token created with a password needs EXIST_TOKEN_KIND=simple.
                Sign in again with “pledge login --profile a”.
                """
            ),
            (
                401, .mydatahelps,
                """
                Its token has expired or was revoked, and there was no newer one: they last a few hours.
                Set MYDATAHELPS_TOKEN to a new token: tokens expire after a few hours.
                Sign in again with “pledge login --mydatahelps --profile a”.
                """
            ),
            (
                403, .exist,
                "-\nSet EXIST_TOKEN to a \(permission)\nSign in with “pledge login --profile a”, with a \(permission)"
            ),
            (429, .exist, "\(ExistAPI.limitText), across all clients.\n\(hour)\n\(hour)"),
            (429, .mydatahelps, "-\n-\n-"), (500, .exist, "-\n-\n-"),
        ] as [(Int, Access.Service, String)] {
            let context = RequestContext(method: .get, url: "")
            let error = ExchangeError(.status(status, message: nil), context: context)
            let line = #"{"service":"\#(service.rawValue)","account":"a","token":"t"}"#
            let account = try AccountLine(Array(line.utf8), environment: [:])
            let advice = [account.advice, given.advice(service), stored.advice(service)].map { $0(error) ?? "-" }
            #expect(advice.joined(separator: "\n") == expected)
            let limited = ExchangeError(.limited(seconds: 1), context: context)
            #expect(account.advice(limited) == "Allow more with --wait, or repeat this account in another run.")
            #expect(given.advice(service)(limited) == "Try again then.")
        }
    }
}
