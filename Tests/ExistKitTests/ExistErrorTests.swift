import ExistKit
import Foundation
import PledgeSandbox
import Testing

@Suite("When Exist says no", .serialized)
struct ErrorTests {
    private func failure(of exist: SandboxCase, _ response: SandboxResponse) async -> ExistError? {
        exist.sandbox.server.script.next(matching: "GET /api/2/accounts/profile/", respond: response)
        return await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }
    }

    @Test("A bad token is said to be one, with the address and what to check")
    func badToken() async throws {
        let exist = try SandboxCase(token: "not-a-token")
        defer { exist.sandbox.stop() }

        let error = await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }

        #expect(error?.kind == .unauthorized)
        let text = try #require(error?.description)
        #expect(text.hasPrefix("GET \(exist.sandbox.baseURL)api/2/accounts/profile/ failed: the service answered 401"))
        #expect(text.contains("Check the token"))
        #expect(!text.contains("not-a-token"))
    }

    @Test("A simple token reads, and is told why it cannot write")
    func simpleToken() async throws {
        let sandbox = try ExistSandbox.start(now: { SandboxCase.noon }, timeZone: .gmt)
        defer { sandbox.stop() }
        let existAPI = ExistAPI(token: sandbox.simpleToken, timeout: 600, kind: .simple, baseURL: sandbox.baseURL)

        #expect(try await !existAPI.user().value.user.username.isEmpty)
        let error = await #expect(throws: ExistError.self) { try await existAPI.acquire(names: ["mood"]).value }

        #expect(error?.kind == .forbidden)
        #expect(error?.description.contains("can only read") == true)
    }

    @Test(
        "Each kind of refusal has a kind of its own",
        arguments: [
            (401, ExistError.Kind.unauthorized), (403, .forbidden), (404, .notFound),
            (429, .rateLimited(retryAfter: nil)),
            (400, .rejected), (418, .rejected), (500, .serviceFault), (503, .serviceFault), (302, .redirected),
        ])
    func kinds(status: Int, kind: ExistError.Kind) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let error = await failure(of: exist, .empty(status, headers: ["Location": "https://elsewhere.example/"]))

        #expect(error?.kind == kind)
        if kind != .redirected { #expect(error?.exchange?.status == status) }
    }

    @Test("After too many requests, the wait the service asks for is there to read")
    func retryAfter() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let error = await failure(of: exist, .empty(429, headers: ["Retry-After": "90"]))

        #expect(error?.kind == .rateLimited(retryAfter: 90))
        #expect(error?.description.contains("Wait 90 s") == true)
    }

    @Test(
        "An answer that is no JSON says what it is instead",
        arguments: [
            ("", "no content"), ("<!doctype html><title>Oops</title>", "web page"), (#"{"username": "a"#, "cut off"),
            ("[1, 2]", "unexpected"), (#"{"first_name": "Ann"}"#, "username is missing"),
        ])
    func unreadable(body: String, words: String) async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }

        let error = await failure(of: exist, .text(body))

        #expect(error?.kind == .unreadable)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "no error")")
    }

    @Test("A service that cannot be reached is said to be unreachable, and a dropped line to be lost")
    func unreachable() async throws {
        let exist = try SandboxCase()
        let dropped = await failure(of: exist, .drop)
        exist.sandbox.stop()

        let refused = await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }

        #expect(dropped?.kind == .unreachable)
        #expect(dropped?.description.contains("the connection was lost") == true)
        #expect(refused?.kind == .unreachable)
        #expect(refused?.description.contains("no connection could be made") == true)
    }

    @Test("Before it asks again it waits on the clock it was given, for as long as the service asks")
    func retryClock() async throws {
        let waits = Locked<[TimeInterval]>([])
        let instant = Timekeeper(
            now: { SandboxCase.noon },
            schedule: { seconds, work in
                waits.withLock { $0.append(seconds) }
                work()
                return {}
            })
        let exist = try SandboxCase(retry: ExistAPI.usualRetry, clock: instant)
        defer { exist.sandbox.stop() }
        exist.sandbox.server.script.next(2, respond: .empty(503, headers: ["Retry-After": "50"]))
        exist.sandbox.server.script.next(respond: .empty(503, headers: ["Retry-After": "9"]))

        let error = await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }

        #expect(error?.exchange?.attempts == 2 && waits.withLock { $0 } == [50])
        _ = try await exist.existAPI.user().value
        #expect(waits.withLock { $0 } == [50, 9])
    }

    @Test("A service that does not answer in time has timed out")
    func timedOut() async throws {
        let exist = try SandboxCase(timeout: 0.05)
        defer { exist.sandbox.stop() }

        let error = await failure(of: exist, .empty(200).delayed(by: 3600))

        #expect(error?.kind == .timedOut)
        #expect(error?.description.contains("no reply within 0.05 s") == true)
    }

    @Test("Whatever was caught can be asked what kind of error it is")
    func anyError() async throws {
        let exist = try SandboxCase(token: "wrong")
        defer { exist.sandbox.stop() }
        do {
            _ = try await exist.existAPI.user().value
            Issue.record("A wrong token was accepted")
        } catch {
            #expect(ExistError(error).kind == .unauthorized && ExistError(error).exchange?.status == 401)
        }
        #expect(ExistError(CancellationError()).kind == .cancelled && ExistError(NoSuchDay()).kind == .other)
    }

    @Test("A token that no header can carry is an error before anything is sent")
    func brokenToken() async throws {
        let exist = try SandboxCase(token: "abc\ndef")
        defer { exist.sandbox.stop() }

        let error = await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }

        #expect(error?.kind == .invalidArgument)
        #expect(error?.description.contains("line break") == true)
        #expect(error?.description.contains("abc") == false)
        #expect(exist.targets.isEmpty)
    }

    @Test("A token does not travel over plain http to another machine")
    func plainHTTP() async throws {
        let address = try #require(URL(string: "http://exist.example/"))

        let error = await #expect(throws: ExistError.self) {
            try await ExistAPI(token: "secret", baseURL: address).user().value
        }

        #expect(error?.kind == .invalidArgument)
        #expect(error?.description.contains("use https") == true)
    }

    @Test("Neither the client nor its errors show the token, however they are printed")
    func secrecy() async throws {
        let exist = try SandboxCase(token: "s3cr3t-token")
        defer { exist.sandbox.stop() }
        let error = await #expect(throws: ExistError.self) { try await exist.existAPI.user().value }

        var dumped = ""
        dump(exist.existAPI, to: &dumped)
        dump(error, to: &dumped)
        dumped += "\(exist.existAPI) \(String(reflecting: exist.existAPI)) \(String(reflecting: error))"
        dumped += error?.localizedDescription ?? ""

        #expect(!dumped.contains("s3cr3t"))
    }

    @Test("Cancelling a call ends it at the service, too, and it is no error to catch")
    func cancel() async throws {
        let exist = try SandboxCase()
        defer { exist.sandbox.stop() }
        exist.sandbox.server.script.next(
            matching: "GET /api/2/accounts/profile/", respond: SandboxResponse.empty(200).delayed(by: 3600))
        let call: Promise<ExistAPI.UserReply> = exist.existAPI.user()
        let ended = call.done { _ in Issue.record("a cancelled call succeeded") }.catch { _ in
            Issue.record("a cancellation was caught by default")
        }

        call.cancel()

        try await ended.value
        #expect(call.error?.isCancelled == true)
    }
}
