import Foundation
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Tokens and their renewal", .serialized)
final class TokenTests: ThingSuite {
    /// Makes the service reject these tokens with a 401.
    private func refuse(_ refused: Set<String> = ["token-1"]) {
        things.server.script.next(.max) { request in
            let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
            return refused.contains(token) ? .empty(401) : nil
        }
    }

    @Test("A hundred requests that find the token expired share one renewal and its outcome", arguments: [true, false])
    func together(succeeds: Bool) async throws {
        refuse()
        let (released, release) = Promise<Void>.pending()
        let tokens = NumberedTokens(renewingAfter: released)
        if !succeeds { tokens.fail(with: TransportError.connectionLost("the token endpoint is down")) }
        let client = things.client(.source(tokens))
        let calls = (0..<100).map { _ in client.get() }
        // The renewal waits until every request has been sent. Otherwise, a request could be sent with the new token.
        await Wait.until { things.server.requests.count >= 100 }
        release.fulfill()
        for result in await when(resolved: calls).value {
            switch result {
            case .success(let answer): #expect(succeeds && answer.value.ok)
            case .failure(let error): #expect(!succeeds && "\(error)".contains("the token endpoint is down"))
            }
        }
        #expect(tokens.renewals == 1 && things.server.requests.count == (succeeds ? 200 : 100))
        _ = await client.get().settled().value
        #expect(tokens.renewals == (succeeds ? 1 : 2))
    }

    @Test("A wait of five seconds or more for a token is reported to `onWait` once; a shorter wait isn't reported")
    func slowToken() async throws {
        let (clock, waits) = (ManualTimekeeper(start: Date()), Recorder<RequestWait>())
        for seconds in [4.9, 5, 60] {
            let (released, release) = Promise<String>.pending()
            let client = things.client(.source(FetchedTokens { _ in released })) { options in
                options.clock = clock.timekeeper
                options.onWait = { waits.append($0) }
            }
            let call = client.get()
            clock.advance(by: seconds)
            release.fulfill("token-1")
            #expect(try await call.value.value.ok)
            #expect(clock.alarmCount == 0 && waits.all.count == (seconds < 5 ? 0 : 1), "\(seconds)")
            #expect(waits.all.allSatisfy { $0.reason == .token && $0.seconds == 5 })
            waits.removeAll()
        }
    }

    /// Returns the error of a call whose token is refused and whose renewal fails with the given error.
    private func failure(renewing error: any Error, _ call: ThingServer.Call = .get) async throws -> ExchangeError {
        refuse()
        let tokens = NumberedTokens()
        tokens.fail(with: error)
        let error = await things.client(.source(tokens)).send(call.endpoint).failure()
        #expect(things.server.requests.count == 1)
        return try #require(error as? ExchangeError)
    }

    @Test("If a token source cancels a renewal, the call is canceled")
    func cancelledRenewal() async {
        refuse()
        let tokens = NumberedTokens()
        tokens.fail(with: PromiseError.cancelled)
        #expect(await things.client(.source(tokens)).get().failure()?.isCancelled == true)
    }

    @Test(
        "The error of a failed renewal is a credential error with one full stop at its end and the number of attempts",
        arguments: ThingServer.Call.allCases, ["Sign in again.", "Sign in again"])
    func failedRenewal(call: ThingServer.Call, words: String) async throws {
        struct Refusal: Error, CustomStringConvertible { let description: String }
        let error = try await failure(renewing: Refusal(description: words), call)
        guard case .credential = error.reason else { throw error }
        #expect(error.sentence.hasSuffix(": Sign in again.") && error.attempts == 1)
    }

    @Test("If the token source has no other token, the call fails with the service's 401, and nothing is sent again")
    func noOtherToken() async throws { #expect(try await failure(renewing: NoOtherToken()).status == 401) }

    @Test("A token that is rejected right after its renewal is not renewed again, and the service's message is shown")
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

    @Test("A call renews its token only once, even if the service takes long to refuse the new token")
    func slowRefusals() async throws {
        let clock = ManualTimekeeper(start: Date())
        things.server.script.next(3) { _ in
            // A source remembers the outcome of a renewal for less time than this.
            clock.advance(by: 11)
            return .empty(401)
        }
        let tokens = NumberedTokens()
        let client = things.client(.source(tokens)) { $0.clock = clock.timekeeper }
        #expect((await client.get().failure() as? ExchangeError)?.status == 401)
        #expect(tokens.renewals == 1 && things.server.requests.count == 2)
    }

    @Test("If a weakly held token source was deallocated, the call fails with a clear error before anything is sent")
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
