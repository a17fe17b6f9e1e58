import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Tokens and their renewal", .serialized)
struct TokenTests {
    private let things: ThingServer
    init() throws { things = try ThingServer() }

    /// Lets the service reject tokens with a 401.
    private func refuse(_ refused: Set<String> = ["token-1"]) {
        things.server.script.next(.max) { request in
            let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
            return refused.contains(token) ? .empty(401) : nil
        }
    }

    @Test("A hundred requests that find the token expired share one renewal, and all succeed")
    func together() async throws {
        refuse()
        let (released, release) = Promise<Void>.pending()
        let tokens = NumberedTokens(renewingAfter: released)
        let client = things.client(.source(tokens))
        let calls = (0..<100).map { _ in client.get() }
        // The renewal is held until every request has been sent, so that none is sent later by chance.
        await Wait.until { things.server.requests.count >= 100 }
        release.fulfill()

        let answers = try await when(fulfilled: calls).value

        #expect(answers.allSatisfy { $0.value.ok })
        #expect(tokens.renewals == 1)
        #expect(things.server.requests.count == 200)
    }

    @Test("If a renewal fails, a hundred requests that were refused together fail with its error, after one renewal")
    func failedRenewal() async throws {
        refuse()
        let (released, release) = Promise<Void>.pending()
        let tokens = NumberedTokens(renewingAfter: released)
        tokens.fail(with: TransportError.connectionLost("the token endpoint is down"))
        let client = things.client(.source(tokens))

        let calls = (0..<100).map { _ in client.get() }
        await Wait.until { things.server.requests.count >= 100 }
        release.fulfill()
        let results = await when(resolved: calls).value

        for result in results {
            guard case .failure(let error as ExchangeError) = result, case .credential = error.reason else {
                Issue.record("\(result)")
                continue
            }
            #expect(error.description.contains("the token endpoint is down"))
        }
        #expect(tokens.renewals == 1)
        _ = await client.get().settled().value
        #expect(tokens.renewals == 2)
    }

    @Test("The error of a failed renewal ends in one full stop", arguments: ["Sign in again.", "Sign in again"])
    func oneFullStop(words: String) async throws {
        struct Refusal: Error, CustomStringConvertible { let description: String }
        refuse()
        let tokens = NumberedTokens()
        tokens.fail(with: Refusal(description: words))

        let result = await things.client(.source(tokens)).get().settled().value

        guard case .failure(let error as ExchangeError) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.sentence.hasSuffix(": Sign in again."))
    }

    @Test("If the source has no other token, the refusal is the result, and nothing is sent again")
    func noOtherToken() async throws {
        refuse()
        let tokens = NumberedTokens()
        tokens.fail(with: NoOtherToken())

        let result = await things.client(.source(tokens)).get().settled().value

        guard case .failure(let error as ExchangeError) = result, case .status(401, _) = error.reason else {
            Issue.record("\(result)")
            return
        }
        #expect(things.server.requests.count == 1)
    }

    @Test("A token that is rejected right after its renewal is not renewed again, and what the service says is told")
    func window() async throws {
        things.server.script.next(.max, respond: .json(["detail": "The account is closed."], status: 401))
        let tokens = NumberedTokens()
        let client = things.client(.source(tokens))

        for _ in 0..<3 {
            let error = await thrown(ExchangeError.self) { try await client.get().value }
            #expect(error?.status == 401 && error?.message == "The account is closed.")
            #expect(error?.description.contains("the service answered 401, saying “The account is closed") == true)
            #expect(error?.advice == "The service refuses new tokens as well: check where they come from.")
        }

        #expect(tokens.renewals == 1)
    }

    @Test("A weakly held source that was deallocated is a clear error before anything is sent")
    func goneSource() async throws {
        refuse()
        var tokens: NumberedTokens? = NumberedTokens()
        let client = things.client(.source(try #require(tokens), hold: .weak))
        tokens = nil

        let result = await client.get().settled().value

        #expect("\(result)".contains("the token source is gone: keep a reference to it"))
        #expect(things.server.requests.isEmpty)
    }
}
