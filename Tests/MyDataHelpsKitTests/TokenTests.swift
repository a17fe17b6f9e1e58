import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Participant tokens", .serialized)
struct TokenTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    private func failure(_ session: ParticipantSession) async throws -> MyDataHelpsError? {
        await thrown(MyDataHelpsError.self) { try await session.getParticipantInfo() }
    }

    @Test("A data source that has no token or was deallocated leads to a clear error; a strong hold keeps it alive")
    func missing() async throws {
        let (token, source) = (mdh.sandbox.token, TokenBox { nil })
        let none = try await failure(ParticipantSession(client: mdh.client, dataSource: source))
        let gone = try await failure(ParticipantSession(client: mdh.client, dataSource: TokenBox { token }))
        #expect(none?.isMissingAccessToken == true && gone?.isMissingAccessToken == true && mdh.targets.isEmpty)
        #expect(none?.description.contains("sign the participant in before the first call") == true)
        #expect(gone?.description.contains("keep a reference to it") == true)
        withExtendedLifetime(source) {}
        let held = ParticipantSession(client: mdh.client, dataSource: TokenBox { token }, hold: .strong)
        #expect(try await held.getParticipantInfo().participantIdentifier == "ÅRE-0042")
    }

    @Test("A refused request is retried if the data source has a newer token; otherwise, the error gives advice")
    func renewedMeanwhile() async throws {
        let token = mdh.sandbox.token
        let asked = Locked(0)
        let newer = TokenBox {
            asked.withLock { asked in
                asked += 1
                return asked == 1 ? "old" : token
            }
        }
        let same = TokenBox { "st4le" }
        let info = try await ParticipantSession(client: mdh.client, dataSource: newer).getParticipantInfo()
        let sent = mdh.targets.count
        let error = try await failure(ParticipantSession(client: mdh.client, dataSource: same))
        #expect(info.demographics.firstName == "Maya" && sent == 2)
        #expect(mdh.targets.count == sent + 1)
        #expect(error?.name == "unauthorizedRequest")
        #expect(error?.response?.message == "Authorization has been denied for this request.")
        #expect(error?.description.contains("Get a new participant access token from your server") == true)
        #expect(error?.description.contains("st4le") == false)
        #expect(error?.response?.headers["RateLimit-Limit"] == "500")
        withExtendedLifetime((newer, same)) {}
    }

    @Test(
        "A token that isn't valid in a header is rejected before anything is sent",
        arguments: ["", "two words", "new\nline"])
    func malformed(token: String) async throws {
        let mdh = try MyDataHelpsCase(token: token)
        let error = try await failure(mdh.session)
        #expect(error?.isMissingAccessToken == true)
        #expect(mdh.targets.isEmpty)
    }
}

/// A data source whose token is the result of a closure.
private final class TokenBox: AccessTokenDataSource {
    private let current: @Sendable () -> String?

    init(_ current: @escaping @Sendable () -> String?) { self.current = current }

    var accessToken: String? { current() }
}
