import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeHTTP

@Suite("Clients of one owner", .serialized)
final class OneOwnerTests: ThingSuite {
    /// A source whose tokens a test sets: `current` is the token in use, and `next` replaces it if it is refused.
    private final class SetTokens: TokenSource {
        let current = Locked("ada-1")
        let next = Locked("ada-2")

        func token() -> Promise<String> { .value(current.withLock { $0 }) }

        func token(replacing rejected: String) -> Promise<String> {
            current.withLock { $0 = next.withLock { $0 } }
            return token()
        }
    }

    private let tokens = SetTokens()
    private let refused = Locked<Set<String>>([])

    /// Returns a client for one owner. The service takes the part of a token before “-” as the name of its owner.
    private func makeClient() -> OneOwner<String> {
        things.server.script.next(.max) { [refused] request in
            let token = request.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
            if refused.withLock({ $0.contains(token) }) { return .json(["detail": "Ended."], status: 401) }
            guard request.path == "/other/" else { return nil }
            return .json(["owner": .string(String(token.prefix { $0 != "-" }))])
        }
        struct Owner: Decodable { var owner: String }
        return OneOwner(of: things.client(.source(tokens)) { $0.retry = .never }) { client in
            client.value(of: Endpoint<Owner>(.get, "other/")).map(on: nil, \.owner)
        } isSame: {
            $0 == $1
        }
    }

    /// The tokens of all requests, in order. If a request asks for the owner's name, the word “whose” is written before
    /// its token.
    private var sent: [String] {
        things.server.requests.map { request in
            let token = request.headers["Authorization"]?.split(separator: " ").last ?? ""
            return request.path == "/other/" ? "whose \(token)" : String(token)
        }
    }

    @Test("A token's owner is requested once; a new token's owner is requested before the token is sent for data")
    func changes() async throws {
        let one = makeClient()
        #expect(try await one.owner().value == "ada")
        for _ in 0..<2 { _ = try await one.client.get().value }
        tokens.current.withLock { $0 = "ada-2" }
        for _ in 0..<2 { _ = try await one.client.get().value }
        #expect(try await one.owner().value == "ada")
        #expect(sent == ["whose ada-1", "ada-1", "ada-1", "whose ada-2", "ada-2", "ada-2"])
        #expect(one.client.requestCount == 6)
    }

    @Test("Concurrent calls share one request for the owner, at first and after the token has changed")
    func concurrent() async throws {
        let one = makeClient()
        for token in ["ada-1", "ada-2"] {
            things.server.resetRequests()
            tokens.current.withLock { $0 = token }
            let calls = (0..<4).map { _ in one.client.get().asVoid() } + [one.owner().asVoid()]
            for call in calls { try await call.value }
            #expect(sent.filter { $0.hasPrefix("whose") } == ["whose \(token)"])
        }
    }

    @Test("A client that doesn't know its token's owner requests the owner before it requests data")
    func first() async throws {
        _ = try await makeClient().client.get().value
        #expect(sent == ["whose ada-1", "ada-1"])
    }

    @Test("Another person's token is never sent for data, neither as the current token nor as a replacement")
    func others() async throws {
        let one = makeClient()
        _ = try await one.client.get().value
        tokens.current.withLock { $0 = "bob-1" }
        for _ in 0..<2 {
            let error = try #require(await one.client.get().failure() as? ExchangeError)
            guard case .credential(is OtherOwner) = error.reason else { throw error }
            #expect("\(error)".contains("GET \(things.server.baseURL)thing/ failed: the token now belongs to another"))
        }
        tokens.current.withLock { $0 = "ada-1" }
        tokens.next.withLock { $0 = "bob-2" }
        refused.withLock { $0 = ["ada-1"] }
        let error = try #require(await one.client.get().failure() as? ExchangeError)
        guard case .credential(is OtherOwner) = error.reason else { throw error }
        refused.withLock { $0 = [] }
        tokens.current.withLock { $0 = "ada-1" }
        _ = try await one.client.get().value
        #expect(!sent.contains { $0.hasPrefix("bob") } && sent.contains("whose bob-2"))
    }

    @Test("If the request for the token's owner fails, the call fails with that error, and data isn't requested")
    func unknown() async throws {
        let one = makeClient()
        _ = try await one.client.get().value
        tokens.current.withLock { $0 = "ada-2" }
        refused.withLock { $0 = ["ada-2"] }
        tokens.next.withLock { $0 = "ada-2" }
        let error = try #require(await one.client.get().failure() as? ExchangeError)
        #expect(error.status == 401 && error.message == "Ended." && "\(error)".contains("other/"))
        #expect(!sent.contains("ada-2"))
        #expect(!printed(one).contains("ada-"))
    }
}
