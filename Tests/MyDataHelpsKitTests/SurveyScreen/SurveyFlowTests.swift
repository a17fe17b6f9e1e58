import Foundation
@testable import MyDataHelpsKit
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Showing a survey, without a screen", .serialized)
struct SurveyFlowTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase() }

    /// Records the steps that a screen receives, each as a short text.
    private final class Screen: Sendable {
        let steps = Recorder<String>()
        let contents = Recorder<SurveyContent>()

        func show<Outcome>(_ step: SurveyRun<Outcome>.Step) {
            switch step {
            case .load(let content):
                contents.append(content)
                steps.append("load")
            case .showContent: steps.append("show")
            case .finish(.success(let outcome)): steps.append("finish \(outcome)")
            case .finish(.failure(.timedOut(nil))): steps.append("finish timedOut(nil)")
            case .finish(.failure(.webContentError(nil))): steps.append("finish webContentError(nil)")
            case .finish(.failure(.invalidSurvey)): steps.append("finish invalidSurvey")
            case .finish(.failure(let error)): steps.append("finish \(error)")
            }
        }

        /// Waits until the screen has received this many steps.
        func wait(for count: Int) async { await Wait.until { steps.count >= count } }
    }

    private func run(
        _ mdh: MyDataHelpsCase, _ name: String = "DailyMood"
    ) async -> (screen: Screen, run: SurveyRun<SurveyOutcome>) {
        let screen = Screen()
        let run = mdh.session.surveyPresentation(surveyName: name).run { screen.show($0) }
        run.start()
        await screen.wait(for: 1)
        return (screen, run)
    }

    @Test(
        "A version 2 survey ends with the outcome that its page reports, even before the page is shown",
        arguments: [
            ("Completed", ["show", "finish completed"]), ("Discarded", ["show", "finish discarded"]),
            ("Saved", ["show", "finish saved"]), (nil, ["show", "finish invalidSurvey"]),
            ("TimedOutByRobot", ["show", "finish webContentError(nil)"]), (nil, ["finish invalidSurvey"]),
        ] as [(String?, [String])])
    func outcomes(reason: String?, expected: [String]) async throws {
        let (screen, run) = await run(mdh)
        if expected.count > 1 { run.receive(handler: "SurveyWindowInitialized", body: true) }
        run.receive(handler: "SomethingElse", body: nil)
        // A web view passes JavaScript's null as `NSNull`.
        run.receive(handler: "SurveyFinished", body: reason ?? NSNull() as Any)
        run.receive(handler: "SurveyFinished", body: "Saved")
        await screen.wait(for: 1 + expected.count)
        await DefaultExecutor.drain()
        #expect(screen.steps.all == ["load"] + expected)
    }

    @Test(
        "A version 1 survey ends with the outcome that its page reports",
        arguments: [("Completed", "Completed"), ("Closed", "Closed"), ("New", "New"), (nil, "webContentError(nil)")]
            as [(String?, String)])
    func olderOutcomes(reason: String?, expected: String) async throws {
        let client = MyDataHelpsClient(baseURL: try url("https://example.org/api"), languageTag: "sv-SE")
        let survey = EmbeddableSurvey(client: client, surveyName: "Sleep, weekly", participantLinkIdentifier: "p")
        let screen = Screen()
        let run = survey.run(clock: ManualTimekeeper().timekeeper) { screen.show($0) }
        run.start()
        await screen.wait(for: 1)
        run.receive(handler: "SurveyWindowInitialized", body: nil)
        run.receive(handler: "SurveyFinished", body: reason.map { ["reason": $0] } ?? [:])
        await screen.wait(for: 3)
        #expect(screen.steps.all == ["load", "show", "finish \(expected)"])
    }

    @Test(
        "A page that is silent for 15 seconds times out; once it is ready, it has no time limit",
        arguments: [false, true])
    func patience(isReady: Bool) async throws {
        let clock = ManualTimekeeper(start: MyDataHelpsCase.noon)
        let mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper)
        defer { mdh.sandbox.stop() }
        let (screen, run) = await run(mdh)
        await Wait.until { clock.alarmCount > 0 }
        #expect(clock.requested.last == 15)
        clock.advance(by: 14.9)
        await DefaultExecutor.drain()
        #expect(screen.steps.all == ["load"])
        if isReady {
            run.receive(handler: "SurveyWindowInitialized", body: true)
            await screen.wait(for: 2)
        }
        clock.advance(by: isReady ? 10_000 : 0.2)
        await screen.wait(for: 2)
        run.loadFailed(URLError(.networkConnectionLost))
        run.receive(handler: "SurveyWindowInitialized", body: true)
        await DefaultExecutor.drain()
        #expect(screen.steps.all == ["load", isReady ? "show" : "finish timedOut(nil)"] && clock.alarmCount == 0)
    }

    @Test("A survey fails if its page can't be loaded or its participant can't be fetched")
    func failures() async throws {
        let (screen, run) = await run(mdh)
        run.loadFailed(URLError(.badServerResponse))
        await screen.wait(for: 2)
        mdh.sandbox.expireToken(mdh.sandbox.token)
        let (refused, _) = await self.run(mdh)
        #expect(screen.steps.all.last?.hasPrefix("finish The survey could not be shown") == true)
        #expect(refused.steps.all.count == 1 && refused.steps.all.first?.contains("answered 401") == true)
    }

    @Test("If a page's process ends, the page is loaded once more; if its process ends again, the survey fails")
    func processEnds() async throws {
        let (screen, run) = await run(mdh)
        run.receive(handler: "SurveyWindowInitialized", body: true)
        run.processEnded()
        await screen.wait(for: 3)
        run.receive(handler: "SurveyWindowInitialized", body: true)
        run.processEnded()
        await screen.wait(for: 5)
        #expect(screen.steps.all.dropLast() == ["load", "show", "load", "show"])
        #expect(screen.steps.all.last?.contains("the system ended its page") == true)
    }

    @Test("A participant can leave while the survey is requested or while it loads; leaving cancels the request")
    func leaving() async throws {
        let slow = try MyDataHelpsCase()
        defer { slow.sandbox.stop() }
        slow.sandbox.server.script.latency = 3600
        let waiting = Screen()
        let request = slow.session.surveyPresentation(surveyName: "DailyMood").run { waiting.show($0) }
        request.start()
        await Wait.until { !slow.sandbox.server.requests.isEmpty }
        let (screen, run) = await run(mdh)
        request.cancel()
        run.cancel()
        await waiting.wait(for: 1)
        await screen.wait(for: 2)
        #expect(waiting.steps.all == ["finish discarded"] && screen.steps.all == ["load", "finish discarded"])
    }

    @Test("A stopped run cancels its request or timer, and sends no more steps to its screen")
    func stopping() async throws {
        let clock = ManualTimekeeper(start: MyDataHelpsCase.noon)
        let mdh = try MyDataHelpsCase(timekeeper: clock.timekeeper)
        defer { mdh.sandbox.stop() }
        let (screen, run) = await run(mdh)
        await Wait.until { clock.alarmCount > 0 }
        let (content, waiting) = (Promise<SurveyContent>.pending(), Screen())
        let flow = SurveyFlow(timeout: .timedOut(nil), cancelled: SurveyOutcome.discarded) { _ in .success(.saved) }
        let request = SurveyRun(
            flow: flow, clock: clock.timekeeper, content: { content.promise }, show: { waiting.show($0) })
        request.start()
        run.stop()
        request.stop()
        run.receive(handler: "SurveyFinished", body: "Completed")
        await DefaultExecutor.drain()
        #expect(screen.steps.all == ["load"] && waiting.steps.all.isEmpty)
        #expect(clock.alarmCount == 0 && content.promise.error?.isCancelled == true)
    }

    @Test("After any sequence of events, the survey can still end, and the participant can still leave it")
    func anyOrder() throws {
        let content = SurveyContent.address(mdh.sandbox.baseURL)
        // Events that end a survey are less frequent, so that most sequences continue for some time.
        let usual: [SurveyEvent] = [.started, .fetched(content), .initialized, .processEnded]
        let events =
            usual + usual + usual + [
                .failed(.invalidSurvey), .ended(reason: "Saved"), .ended(reason: nil),
                .timedOut, .cancelled,
            ]
        var reached: Set<String> = []
        Fuzzing.run(cases: 2_000) { seed, generator in
            var flow = SurveyFlow(timeout: .timedOut(nil), cancelled: "left") { .success($0 ?? "none") }
            var (pending, shown): (Set<String>, [String]) = ([], [])
            for _ in 0..<20 {
                guard let event = events.randomElement(using: &generator) else { continue }
                // A page is fetched, or a time limit is reached, only if the flow has started that request or timer.
                if case .fetched = event, pending.remove("request") == nil { continue }
                if case .timedOut = event, pending.remove("timer") == nil { continue }
                for action in flow.handle(event) {
                    switch action {
                    case .fetch: pending.insert("request")
                    case .startTimer: pending.insert("timer")
                    case .cancelPending: pending = []
                    case .show(.load): shown.append("load")
                    case .show(.showContent): shown.append("show")
                    case .show(.finish): shown.append("finish")
                    }
                }
                let (state, ways): (Set<String>, [[SurveyEvent]]) =
                    switch flow.state {
                    case .unloaded, .finished: ([], [])
                    case .fetching: (["request"], [[.failed(.invalidSurvey)], [.fetched(content), .timedOut]])
                    case .loading: (["timer"], [[.timedOut], [.failed(.invalidSurvey)]])
                    case .active:
                        ([], [[.ended(reason: nil)], [.processEnded, .fetched(content), .processEnded]])
                    }
                #expect(pending == state, "seed \(seed)")
                for way in ways + [[.cancelled]] {
                    var copy = flow
                    for event in way { _ = copy.handle(event) }
                    #expect(copy.state == .finished, "\(flow.state) after \(way), seed \(seed)")
                }
                let finishes = shown.filter { $0 == "finish" }.count
                #expect(finishes == (flow.state == .finished ? 1 : 0), "seed \(seed)")
                #expect(shown.filter { $0 == "load" }.count <= 2, "seed \(seed)")
                reached.insert("\(flow.state)")
            }
        }
        #expect(reached == ["unloaded", "fetching", "loading", "active", "finished"])
    }
}
