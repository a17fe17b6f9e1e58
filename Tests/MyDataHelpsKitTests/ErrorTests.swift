import Foundation
import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Errors of calls to MyDataHelps", .serialized)
struct ErrorTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    @Test(
        "Each status code leads to the right error case",
        arguments: [
            (400, "serverError"), (401, "unauthorizedRequest"), (403, "serverError"), (404, "serverError"),
            (429, "serverError"), (500, "serverError"), (503, "serverError"), (304, "serverError"),
        ])
    func statuses(status: Int, expected: String) async throws {
        mdh.sandbox.server.script.next(respond: .empty(status))
        let error = await mdh.failure()
        #expect(error?.name == expected && error?.response?.statusCode == status)
    }

    @Test(
        "The message of a failed response is kept as it was sent",
        arguments: [
            ("error_500_message_object", "Something broke on our side 💥"),
            ("error_400_string_fragment", "finalRedirectPath is not in the list of allowed URLs"),
            ("error_401_object", "Authorization has been denied for this request."),
            (#"{"message": " Closed.\n\tAsk again. "}"#, " Closed.\n\tAsk again. "),
        ])
    func messages(name: String, message: String) async throws {
        mdh.answer("GET /api/", status: 500, String(decoding: try sample(name), as: UTF8.self))
        #expect(await mdh.failure()?.response?.message == message)
    }

    @Test(
        "The error of a 429 has the reset date if all three rate limit headers were sent; otherwise, it is a server error"
    )
    func limits() async throws {
        let headers = try JSONDecoder().decode([String: String].self, from: sample("rate_limit_headers"))
        func refuse(without missing: String) throws {
            let kept = headers.filter { $0.key != missing }.map { ServerHeaders.Field(name: $0.key, value: $0.value) }
            mdh.sandbox.server.script.next(
                respond: ServerResponse(
                    status: 429, headers: ServerHeaders(kept), body: try sample("error_429_object")))
        }
        try refuse(without: "")
        let error = await mdh.failure()
        let limit = try #require(mdh.session.rateLimit)
        #expect(error?.name == "tooManyRequests" && error?.response?.message == "API calls quota exceeded")
        #expect(limit.maxRequestsPerHour == 500 && limit.remainingRequests == 0)
        #expect(limit.nextReset == MyDataHelpsCase.noon.addingTimeInterval(1260))
        #expect(error?.description.contains("Wait until 2024-03-02T11:21:00.000Z") == true)
        for name in ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] {
            try refuse(without: name)
            #expect(await mdh.failure()?.name == "serverError")
        }
    }

    @Test("A 403 that announces the rate limit keeps its status; a request that the own limiter held back has none")
    func refusedByLimit() async throws {
        let headers: [(String, String)] = [
            ("RateLimit-Limit", "500"), ("RateLimit-Remaining", "0"), ("RateLimit-Reset", "60"),
        ]
        let fields = headers.map { ServerHeaders.Field(name: $0.0, value: $0.1) }
        mdh.sandbox.server.script.next(
            respond: ServerResponse(status: 403, headers: ServerHeaders(fields), body: Data()))
        let refused = try #require(await mdh.failure())
        #expect(refused.name == "tooManyRequests" && refused.response?.statusCode == 403)
        #expect(refused.kind == .rateLimited && refused.status == 403)

        let clock = Timekeeper(now: { MyDataHelpsCase.noon }, schedule: { _, _ in {} })
        let limiter = RateLimiter(limit: 1, per: 3600, clock: clock, waitingAtMost: 1)
        let client = MyDataHelpsClient(
            baseURL: mdh.sandbox.baseURL,
            options: MyDataHelpsClient.defaultOptions.with { ($0.limiter, $0.clock) = (limiter, clock) })
        let session = ParticipantSession(
            client: client, accessToken: ParticipantAccessToken(token: mdh.sandbox.token))
        _ = try await session.getParticipantInfo()
        let sent = mdh.targets.count
        let held = await thrown(MyDataHelpsError.self) { try await session.getParticipantInfo() }
        #expect(held?.name == "unknown" && held?.kind == .rateLimited && held?.status == nil)
        #expect(mdh.targets.count == sent && held?.description.contains("longestWait") == true)
    }

    @Test("An invalid result ID is an encoding error, and nothing is sent")
    func notAResult() async throws {
        let error = await thrown(MyDataHelpsError.self) {
            try await mdh.session.deleteSurveyResult(SurveyResult.ID("../participant"))
        }
        #expect(error?.name == "encodingError" && error?.kind == .invalidArgument)
        #expect(error?.description.contains("use SurveyAnswer.surveyResultID") == true)
        #expect(mdh.targets.isEmpty)
    }

    @Test("A missing connection is an offline error, a missing response is a timeout, and both errors give advice")
    func lines() async throws {
        // The transport measures this timeout in real time. Because the response never comes, the request times out
        // even on a very slow machine.
        let slow = try MyDataHelpsCase(timeout: 0.05)
        slow.sandbox.server.script.latency = 3600
        let late = await slow.failure()
        // Nothing listens on port 1, and no other test's server ever will.
        let nobody = ParticipantSession(
            client: MyDataHelpsClient(
                baseURL: URL(string: "http://127.0.0.1:1/")!,
                options: MyDataHelpsClient.defaultOptions.with { $0.retry = .never }),
            accessToken: ParticipantAccessToken(token: "a"))
        let gone = await thrown(MyDataHelpsError.self) { try await nobody.getParticipantInfo() }
        #expect(late?.name == "timedOut" && late?.description.hasSuffix("s. Try again, or allow more time.") == true)
        #expect(gone?.name == "offline" && gone?.description.hasSuffix("). Check the network and the URL.") == true)
    }

    @Test("A canceled call fails as canceled, both as a promise and in a task")
    func cancelling() async throws {
        mdh.sandbox.server.script.latency = 20
        let session = mdh.session
        let promise: Promise<ParticipantInfo> = session.getParticipantInfo()
        promise.cancel()
        let promised = await thrown((any Error).self) { try await promise.value }
        let task = Task { try await session.getParticipantInfo() }
        task.cancel()
        let awaited = await thrown(MyDataHelpsError.self) { try await task.value }
        #expect(promised?.isCancelled == true)
        #expect(awaited?.name == "cancelled" && awaited?.isCancelled == true)
    }

    @Test("Any error converts to a `MyDataHelpsError`, and an error of that type stays unchanged")
    func wrapping() {
        #expect(MyDataHelpsError(MyDataHelpsError.invalidSurvey).name == "invalidSurvey")
        #expect(MyDataHelpsError(CancellationError()).name == "cancelled")
        #expect(MyDataHelpsError(PromiseError.cancelled).name == "cancelled")
        #expect(MyDataHelpsError(PromiseError.timedOut(seconds: 3)).name == "timedOut")
        #expect(MyDataHelpsError(URLError(.timedOut)).name == "timedOut")
        #expect(MyDataHelpsError(URLError(.badURL)).name == "unknown")
        #expect(MyDataHelpsError(CredentialError.sourceIsGone).isMissingAccessToken)
    }

    @Test("A 503 is retried only for requests that are safe to repeat")
    func retrying() async throws {
        let clock = InstantTimekeeper(start: MyDataHelpsCase.noon)
        let mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper, retry: MyDataHelpsClient.defaultOptions.retry)
        let (session, account, sure) = (mdh.session, ExternalAccount.ID(5501), EndpointCase.point)
        let unsure = DeviceDataPointPersistModel(identifier: nil, type: "MoodTap", value: "ok")
        let provider = ServiceAccount(name: mdh.sandbox.serviceAccount, client: mdh.client) { $0 }
        let back = try url("https://my.app/connected")
        let calls: [(failures: Int, attempts: Int, call: () async throws -> Void)] = [
            (2, 3, { _ = try await session.getParticipantInfo() }),
            (3, 3, { _ = try await session.getParticipantInfo() }),
            (1, 2, { try await session.persistDeviceData([sure]) }),
            (1, 1, { try await session.persistDeviceData([sure, unsure]) }),
            (1, 1, { try await session.refreshExternalAccount(account) }),
            (1, 2, { try await session.deleteExternalAccount(account) }),
            (1, 1, { try await session.deleteSurveyResult(EndpointCase.resultID) }),
            (1, 1, { _ = try await session.connectExternalAccount(providerID: .init(1), finalRedirectURL: back) }),
            (1, 1, { _ = try await provider.serviceToken().value }),
        ]
        #expect(MyDataHelpsClient.defaultOptions.retry.statuses == [429, 502, 503, 504])
        for (index, (failures, attempts, call)) in calls.enumerated() {
            mdh.sandbox.server.resetRequests()
            mdh.sandbox.server.script.next(failures, respond: .empty(503))
            let error = await thrown(MyDataHelpsError.self) { try await call() }
            #expect((error == nil) == (failures < attempts) && mdh.targets.count == attempts, "\(index)")
            guard index == 1 else { continue }
            #expect(
                error?.description.contains(" failed after 3 attempts: the service answered 503. Try again") == true)
        }
    }
}
