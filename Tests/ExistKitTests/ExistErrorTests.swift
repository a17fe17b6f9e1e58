import ExistKit
import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Errors of calls to Exist", .serialized)
struct ExistErrorTests {
    private let exist: SandboxCase
    init() throws { exist = try SandboxCase() }

    private func failure(of exist: SandboxCase, _ response: ServerResponse) async -> ExistError? {
        exist.sandbox.server.script.next(matching: "GET /api/2/accounts/profile/", respond: response)
        return await thrown(ExistError.self) { try await exist.existAPI.user().value }
    }

    @Test("A simple token can read, and the error of a write says that the token can only read")
    func simpleToken() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }
        let existAPI = ExistAPI(token: sandbox.simpleToken, timeout: 600, kind: .simple, baseURL: sandbox.baseURL)
        #expect(try await !existAPI.user().value.user.username.isEmpty)
        let error = await thrown(ExistError.self) { try await existAPI.acquire(names: ["mood"]).value }
        #expect(error?.kind == .forbidden)
        #expect(error?.description.contains("can only read") == true)
    }

    @Test(
        "Each status code leads to its kind of error, with advice or with the service's message in any of its forms",
        arguments: [
            ("401", ExistError.Kind.unauthorized, "Check the token"), ("error_401", .unauthorized, "Invalid token"),
            ("403", .forbidden, "403"), ("404", .notFound, "404"),
            ("429", .rateLimited, "Exist allows 300 requests per hour"),
            ("400", .rejected, "400"), ("error_400_plain", .rejected, "Expected a list of objects"),
            ("error_400_field_errors", .rejected, "attribute: This field is required"),
            ("auth_oauth_error_400", .rejected, "invalid_grant"), ("418", .rejected, "418"),
            ("500", .serviceFault, "500"), ("503", .serviceFault, "503"), ("302", .redirected, "elsewhere.example"),
        ])
    func kinds(response: String, kind: ExistError.Kind, words: String) async throws {
        if let status = Int(response) {
            exist.sandbox.server.script.next(
                respond: .empty(status, headers: ["Location": "https://elsewhere.example/"]))
        } else {
            try exist.answer("", sample: response)
        }
        let error = try #require(await thrown(ExistError.self) { try await exist.existAPI.user().value })
        #expect(error.kind == kind && error.description.contains(words), "\(error)")
        #expect(error.description.hasPrefix("GET \(exist.sandbox.baseURL)api/2/accounts/profile/ failed: "))
        if kind != .redirected { #expect(error.exchange?.status == Int(response.suffix(3)) ?? 400) }
    }

    @Test("The error for too many requests includes the wait that the service requests")
    func retryAfter() async throws {
        let error = await failure(of: exist, .empty(429, headers: ["Retry-After": "90"]))
        #expect(error?.kind == .rateLimited && error?.exchange?.retryAfter == 90)
        #expect(error?.status == 429 && ExistError(CancellationError()).status == nil)
        #expect(error?.description.contains("Wait 90 s: Exist allows 300 requests per hour") == true)
    }

    @Test("A lost connection and a refused connection are both reported as unreachable, each with its reason")
    func unreachable() async throws {
        let exist = try SandboxCase()
        let dropped = await failure(of: exist, .drop)
        // Nothing listens on port 1, and no other test's server ever will.
        let nobody = ExistAPI(
            token: "a", baseURL: try #require(URL(string: "http://127.0.0.1:1/")),
            options: ExistAPI.defaultOptions.with { $0.retry = .never })
        let refused = await thrown(ExistError.self) { try await nobody.user().value }
        #expect(dropped?.kind == .unreachable)
        #expect(dropped?.description.contains("the connection was lost") == true)
        #expect(refused?.kind == .unreachable)
        #expect(refused?.description.contains("no connection could be made") == true)
    }

    @Test("A retry waits on the configured clock, for as long as the service requests")
    func retryClock() async throws {
        let clock = InstantTimekeeper(start: SandboxCase.noon)
        let exist = try SandboxCase(retry: ExistAPI.defaultOptions.retry, clock: clock.timekeeper)
        exist.sandbox.server.script.next(2, respond: .empty(503, headers: ["Retry-After": "50"]))
        exist.sandbox.server.script.next(respond: .empty(503, headers: ["Retry-After": "9"]))
        let error = await thrown(ExistError.self) { try await exist.existAPI.user().value }
        #expect(ExistAPI.defaultOptions.retry.statuses == [429, 502, 503, 504])
        #expect(error?.exchange?.attempts == 2 && clock.waits == [50])
        _ = try await exist.existAPI.user().value
        #expect(clock.waits == [50, 9])
    }

    @Test("If the service has no correlation of two attributes, the call returns nil; a 404 without JSON is an error")
    func noCorrelation() async throws {
        let strongest = try #require(try await exist.existAPI.correlations().value.correlations.first)
        let found = try await exist.existAPI.correlation(between: strongest.attribute2, and: strongest.attribute).value
        let none = try await exist.existAPI.correlation(between: "weather_summary", and: "mood_note").value
        exist.sandbox.server.script.next(respond: .text(" \r\n\t{\"error\": \"No such pair\"}", status: 404))
        let alsoNone = try await exist.existAPI.correlation(between: "a", and: "b").value
        exist.sandbox.server.script.next(respond: .text("<html>Not here</html>", status: 404))
        let lost = await exist.existAPI.correlation(between: "a", and: "b").settled().value
        #expect(found.correlation?.value == strongest.value)
        #expect(none.correlation == nil && alsoNone.correlation == nil)
        #expect(throws: ExistError.self) { try lost.get() }
    }

    @Test("A response that doesn't arrive in time is reported as a timeout")
    func timedOut() async throws {
        // The transport measures this timeout in real time. Because the response never comes, the request times out
        // even on a very slow machine.
        let exist = try SandboxCase(timeout: 0.05)
        let error = await failure(of: exist, .empty(200).delayed(by: 3600))
        #expect(error?.kind == .timedOut)
        #expect(error?.description.contains("no response within 0.05 s") == true)
    }

    @Test("Any error converts to an `ExistError` with its kind")
    func anyError() {
        #expect(ExistError(CancellationError()).kind == .cancelled && ExistError(NoSuchDay()).kind == .other)
    }

    @Test("The error of a token source is not reported as an invalid argument")
    func source() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        let existAPI = ExistAPI(source: Offline(), baseURL: exist.sandbox.baseURL)
        #expect(await thrown(ExistError.self) { try await existAPI.user().value }?.kind == .other)
    }

    private final class Offline: TokenSource {
        func token() -> Promise<String> { Promise(error: TransportError.unreachable("offline")) }
        func token(replacing rejected: String) -> Promise<String> { token() }
    }

    @Test("A token with a line break is rejected before anything is sent")
    func brokenToken() async throws {
        let exist = try SandboxCase(token: "abc\ndef")
        let error = await thrown(ExistError.self) { try await exist.existAPI.user().value }
        #expect(error?.kind == .invalidArgument)
        #expect(error?.description.contains("line break") == true)
        #expect(error?.description.contains("abc") == false)
        #expect(exist.targets.isEmpty)
    }

    @Test("Canceling a read, a loop over pages, or a write also closes the connection to the service", arguments: 0..<3)
    func cancelReachesTheService(kind: Int) async throws {
        let (server, existAPI, today) = (exist.sandbox.server, exist.existAPI, try day(SandboxCase.today))
        server.script.next(.max) { kind == 1 && $0.queryValue("page") == "1" ? nil : .silence }
        let call: Promise<Void> =
            switch kind {
            case 0: existAPI.user().asVoid()
            case 1: existAPI.pages(.insights()).forEach { _ in true }
            default: existAPI.update(attributes: [IntAttributeUpdate(name: "mood", day: today, value: 5)]).asVoid()
            }
        await Wait.until { server.requests.count == (kind == 1 ? 2 : 1) }
        call.cancel()
        #expect(call.error?.isCancelled == true)
        await Wait.until { server.openConnections == 0 }
        #expect(server.requests.count == (kind == 1 ? 2 : 1))
    }
}
