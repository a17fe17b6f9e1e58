import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeFiles
import PledgeTestSupport
import Testing

@testable import PledgeCommand
@testable import PledgeHTTP

@Suite("The kind of an account's error")
struct AccountErrorTests {
    /// A transport whose requests all have the same outcome.
    private struct Answer: HTTPTransport {
        let outcome: Result<RawResponse, any Error>

        func send(_ request: OutgoingRequest) -> Promise<RawResponse> { firstly { Promise.value(try outcome.get()) } }
    }

    /// Returns the kinds of error that a call to Exist and a call to MyDataHelps have after this outcome of a request.
    private func kinds(_ outcome: Result<RawResponse, any Error>, token: String = "secret") async -> [String?] {
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

    @Test("A failed request leads to the same kind of error for Exist and MyDataHelps")
    func transport() async {
        let errors: [(TransportError, String)] = [
            (.unreachable(""), "unreachable"), (.connectionLost(""), "unreachable"), (.untrusted(""), "untrusted"),
            (.timedOut(seconds: 1), "timedOut"), (.stalled(seconds: 1), "timedOut"),
            (.tooLarge(limit: 1), "unreadable"), (.badResponse(""), "unreadable"), (.unsendable(""), "invalidArgument"),
        ]
        let others: [(any Error, String)] = [(PromiseError.cancelled, "cancelled"), (FileError("a disk"), "other")]
        for (error, kind) in errors + others { #expect(await kinds(.failure(error)) == [kind, kind], "\(error)") }
        let unsendable = await kinds(.failure(TransportError.unreachable("")), token: "a b")
        #expect(unsendable == ["invalidArgument", "invalidArgument"])
    }

    @Test("A response's status code leads to the same kind of error for Exist and MyDataHelps")
    func statuses() async {
        for (status, kind) in [
            (200, "unreadable"), (302, "redirected"), (304, "redirected"), (400, "rejected"), (401, "unauthorized"),
            (403, "forbidden"), (404, "notFound"), (429, "rateLimited"), (500, "serviceFault"), (503, "serviceFault"),
        ] {
            let response = RawResponse(url: URL(fileURLWithPath: "/"), status: status, headers: [:], body: Data())
            #expect(await kinds(.success(response)) == [kind, kind], "\(status)")
        }
    }

    @Test("The advice after a refusal depends on whether the token is from a line, a variable, or a profile")
    func advice() throws {
        let access = try Access(Arguments(["--profile", "a"], of: ProfileCommand.command))
        for (reason, service, words) in [
            (
                .status(401), .exist,
                ["needs \"kind\"", "Check EXIST_TOKEN:", "again with “pledge login --p"]
            ),
            (.status(401), .mydatahelps, ["Its token", "Set MYDATAHELPS_TOKEN", "login --mydatahelps"]),
            (.status(403), .exist, [nil, "Set EXIST_TOKEN to", "Sign in with “pledge login"]),
            (.status(429), .exist, ["across all clients", "Wait up to", "Wait up to"]),
            (.status(429), .mydatahelps, [nil, nil, nil]),
            (.limited(seconds: 1), .exist, ["Allow more with --wait, or", "Try again then.", "Try again then."]),
        ] as [(ExchangeError.Reason, Access.Service, [String?])] {
            let error = ExchangeError(reason, context: RequestContext(method: .get, url: ""))
            let line = #"{"service":"\#(service.rawValue)","account":"a","token":"t"}"#
            let account = try AccountLine(Array(line.utf8), environment: [:])
            let origins: [Credential.Origin] = [
                .line(account.kind), .variable(service.tokenName), .profile(login: access.login(service)),
            ]
            let advice = origins.map { Advice.about(error, of: service, token: $0) }
            for (text, part) in zip(advice, words) {
                #expect(part.map { text?.contains($0) == true } ?? (text == nil), "\(error): \(text ?? "")")
            }
        }
    }

    @Test("`--retry` accepts “all” beside other kinds of errors, and refuses a kind that doesn't exist")
    func kinds() throws {
        for text in ["all", "all,forbidden", "forbidden,all"] {
            #expect(try AccountError.kinds(text, among: AccountError.kinds) == ["all"])
        }
        #expect(try AccountError.kinds("notFound,forbidden", among: AccountError.kinds) == ["forbidden", "notFound"])
        for text in ["all,forbiden", "forbiden"] {
            let error = thrown(UsageError.self) { try AccountError.kinds(text, among: AccountError.kinds) }
            #expect(error?.description.contains("no kind of error “forbiden”") == true)
        }
    }
}
