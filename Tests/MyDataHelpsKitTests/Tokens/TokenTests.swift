import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Participant tokens", .serialized)
struct TokenTests {
    /// A source of numbered tokens, each of which the sandbox accepts.
    private final class Renewing: TokenSource {
        let renewals = Locked(0)
        let sandbox: MyDataHelpsSandbox

        init(_ sandbox: MyDataHelpsSandbox) { self.sandbox = sandbox }

        func token() -> Promise<String> { .value("token-\(renewals.withLock { $0 })") }

        func token(replacing rejected: String) -> Promise<String> {
            let number = renewals.withLock { renewals in
                renewals += 1
                return renewals
            }
            sandbox.addToken("token-\(number)")
            return token()
        }
    }

    private func failure(
        _ session: ParticipantSession
    ) async throws -> MyDataHelpsError? {
        await thrown(MyDataHelpsError.self) { try await session.getParticipantInfo() }
    }

    @Test("A token is never printed, in any way")
    func printing() throws {
        let mdh = try MyDataHelpsCase(token: "hush-hush")
        defer { mdh.sandbox.stop() }
        let token = ParticipantAccessToken(token: "hush-hush")
        var dumped = ""
        dump(token, to: &dumped)
        dump(mdh.session, to: &dumped)
        dump(mdh.client, to: &dumped)

        #expect(!"\(token) \(String(reflecting: token)) \(mdh.session) \(mdh.client) \(dumped)".contains("hush"))
    }

    @Test("An expired token is an unauthorized request, and the description gives advice")
    func expired() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        mdh.sandbox.expireToken(mdh.sandbox.token)

        let error = try await failure(mdh.session)

        guard case .unauthorizedRequest(let response)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.message?.hasPrefix("Authorization has been denied for this request") == true)
        #expect(error?.description.contains("Get a new participant access token from your server") == true)
        #expect(error?.description.contains(mdh.sandbox.token) == false)
    }

    @Test("Many calls that find the token expired share one renewal, and all succeed")
    func together() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let tokens = Renewing(mdh.sandbox)
        let session = ParticipantSession(client: mdh.client, tokens: tokens)

        let calls: [Promise<ParticipantInfo>] = (0..<20).map { _ in session.getParticipantInfo() }
        let infos = try await when(fulfilled: calls).value

        #expect(infos.count == 20)
        #expect(tokens.renewals.withLock { $0 } == 1)
    }

    @Test("A data source without a token is a clear error, and nothing is sent")
    func missing() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let source = TokenBox { nil }

        let error = try await failure(ParticipantSession(client: mdh.client, dataSource: source))

        guard error?.isMissingAccessToken == true else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("sign the participant in before the first call") == true)
        #expect(mdh.targets.isEmpty)
        withExtendedLifetime(source) {}
    }

    @Test("A data source that was deallocated is a clear error too, unless the session holds it")
    func gone() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let token = mdh.sandbox.token
        let weak = ParticipantSession(client: mdh.client, dataSource: TokenBox { token })
        let strong = ParticipantSession(client: mdh.client, dataSource: TokenBox { token }, hold: .strong)

        let error = try await failure(weak)
        let info = try await strong.getParticipantInfo()

        guard error?.isMissingAccessToken == true else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("keep a reference to it") == true)
        #expect(info.participantIdentifier == "ÅRE-0042")
    }

    @Test("A request is retried if the data source has a newer token by then, and not otherwise")
    func renewedMeanwhile() async throws {
        let mdh = try MyDataHelpsCase()
        defer { mdh.sandbox.stop() }
        let token = mdh.sandbox.token
        let asked = Locked(0)
        let newer = TokenBox {
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? "old" : token
            }
        }
        let same = TokenBox { "old" }

        let info = try await ParticipantSession(client: mdh.client, dataSource: newer).getParticipantInfo()
        let sent = mdh.targets.count
        let error = try await failure(ParticipantSession(client: mdh.client, dataSource: same))

        #expect(info.demographics.firstName == "Maya" && sent == 2)
        #expect(mdh.targets.count == sent + 1)
        guard case .unauthorizedRequest(let response)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.message == "Authorization has been denied for this request.")
        #expect(response.headers["RateLimit-Limit"] == "500")
        withExtendedLifetime((newer, same)) {}
    }

    @Test(
        "A token that is not valid in a header is an error before anything is sent",
        arguments: ["", "two words", "new\nline"])
    func malformed(token: String) async throws {
        let mdh = try MyDataHelpsCase(token: token)
        defer { mdh.sandbox.stop() }

        let error = try await failure(mdh.session)

        guard error?.isMissingAccessToken == true else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(mdh.targets.isEmpty)
    }
}
