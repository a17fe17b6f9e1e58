import Dispatch
import Foundation
import Pledge
import PledgeCoding

/// An event while a survey is displayed.
enum SurveyEvent: Sendable {
    case started
    case fetched(SurveyContent)
    /// The content could not be fetched, or the web view could not load it.
    case failed(MyDataHelpsError)
    /// The page can be shown.
    case initialized
    /// The survey is over for this reason; nil if there is no such survey.
    case ended(reason: String?)
    case timedOut
    /// The system has ended the page's process, which leaves the web view blank.
    case processEnded
    case cancelled
    /// The screen is gone, and the app is not notified.
    case stopped

    /// The names of the message handlers that the page calls.
    static let handlerNames = ["SurveyWindowInitialized", "SurveyFinished"]

    /// Creates an event from a handler call, whose body is the reason or, in version 1, an object that contains it;
    /// nil for an unknown handler.
    init?(handler: String, body: Any?) {
        switch handler {
        case "SurveyWindowInitialized": self = .initialized
        case "SurveyFinished":
            self = .ended(reason: body as? String ?? (body as? [String: Any])?["reason"] as? String)
        default: return nil
        }
    }
}

/// The state machine of a displayed survey, which returns actions without performing them.
///
/// It finishes once; later events have no effect. In every state, a request or the timer is pending or the page is
/// displayed, and the participant can leave.
struct SurveyFlow<Outcome: Sendable>: Sendable {
    enum Action: Sendable {
        case fetch
        case startTimer(seconds: TimeInterval)
        case cancelPending
        case show(SurveyRun<Outcome>.Step)
    }

    enum State: Sendable, Equatable {
        case unloaded
        case fetching
        case loading
        case active
        case finished
    }

    static var timeLimit: TimeInterval { 15 }
    /// The system does this usually for lack of memory.
    private static var processEndedTwice: FailureReason {
        FailureReason("the system ended its page twice, the second time after a reload")
    }

    private(set) var state = State.unloaded
    private(set) var isReloaded = false
    let timeout: MyDataHelpsError
    /// The outcome if the participant leaves before the end.
    let cancelled: Outcome
    /// Returns the result for the page's reason.
    let result: @Sendable (_ reason: String?) -> Result<Outcome, MyDataHelpsError>

    mutating func handle(_ event: SurveyEvent) -> [Action] {
        switch (state, event) {
        case (.finished, _): return []
        case (_, .stopped):
            state = .finished
            return [.cancelPending]
        case (_, .cancelled): return finish(.success(cancelled))
        case (.unloaded, .started):
            state = .fetching
            return [.fetch]
        case (.fetching, .fetched(let content)):
            state = .loading
            return [.show(.load(content)), .startTimer(seconds: Self.timeLimit)]
        case (.fetching, .failed(let error)), (.loading, .failed(let error)): return finish(.failure(error))
        case (.loading, .timedOut): return finish(.failure(timeout))
        case (.loading, .initialized):
            state = .active
            return [.cancelPending, .show(.showContent)]
        // A survey may finish before it is displayed.
        case (.loading, .ended(let reason)), (.active, .ended(let reason)):
            return finish(result(reason))
        case (.loading, .processEnded), (.active, .processEnded):
            guard !isReloaded else { return finish(.failure(.webContentError(Self.processEndedTwice))) }
            state = .fetching
            isReloaded = true
            // Fetched again, as the token may have expired in the meantime.
            return [.cancelPending, .fetch]
        default: return []
        }
    }

    private mutating func finish(_ result: Result<Outcome, MyDataHelpsError>) -> [Action] {
        state = .finished
        return [.cancelPending, .show(.finish(result))]
    }
}

/// Runs a survey from start to finish for an app with a web view of its own.
///
/// It controls the view through ``Step`` values, and is notified of events. Call it from any thread; steps arrive one
/// at a time, in order, and never inside such a call.
public final class SurveyRun<Outcome: Sendable>: Sendable {
    /// A step for the view to perform.
    public enum Step: Sendable {
        /// Load this content into the web view, behind the spinner.
        case load(SurveyContent)
        /// Show the web view instead of the spinner.
        case showContent
        /// Stop loading, and notify the app. Delivered once, as the last step.
        case finish(Result<Outcome, MyDataHelpsError>)
    }

    private struct State {
        var flow: SurveyFlow<Outcome>
        var cancelPending: (@Sendable () -> Void)?
    }

    private let state: Locked<State>
    private let content: @Sendable () -> Promise<SurveyContent>
    private let clock: Timekeeper
    private let show: @Sendable (Step) -> Void

    init(
        flow: SurveyFlow<Outcome>, clock: Timekeeper,
        content: @escaping @Sendable () -> Promise<SurveyContent>, show: @escaping @Sendable (Step) -> Void
    ) {
        state = Locked(State(flow: flow))
        self.clock = clock
        self.content = content
        self.show = show
    }

    /// The message handlers the page calls; add each to the web view.
    public static var handlerNames: [String] { SurveyEvent.handlerNames }

    /// Starts the survey when the screen appears.
    public func start() { handle(.started) }

    /// Handles a message from the page; unknown handlers are ignored. First discard messages from other sources than
    /// the page.
    public func receive(handler: String, body: Any?) {
        if let event = SurveyEvent(handler: handler, body: body) { handle(event) }
    }

    /// Handles a failure of the web view to load the page. It has no effect once the page is displayed.
    public func loadFailed(_ error: any Error) { handle(.failed(.webContentError(error))) }

    /// Handles the end of the page's process. The page is loaded again, once; show the spinner until the next step.
    public func processEnded() { handle(.processEnded) }

    /// Finishes the survey as discarded or closed for a participant who leaves. Offer this while the spinner is shown.
    public func cancel() { handle(.cancelled) }

    /// Stops the survey: cancels the request and the timer, without delivering a step.
    public func stop() { handle(.stopped) }

    func handle(_ event: SurveyEvent) {
        let actions = state.withLock { state in
            let actions = state.flow.handle(event)
            // Under the lock, so that steps are delivered in the order they were determined.
            for case .show(let step) in actions { DispatchQueue.pledge.async { [show] in show(step) } }
            return actions
        }
        for action in actions {
            switch action {
            case .fetch: fetch()
            case .startTimer(let seconds):
                store(in: .loading, clock.schedule(seconds) { [weak self] in self?.handle(.timedOut) })
            case .cancelPending: state.withLock { $0.cancelPending.take() }?()
            case .show: break
            }
        }
    }

    private func fetch() {
        let fetching = content()
        store(in: .fetching) { fetching.cancel() }
        fetching.pipe { [weak self] result in
            switch result {
            case .success(let content): self?.handle(.fetched(content))
            case .failure(let error): self?.handle(.failed(MyDataHelpsError(error)))
            }
        }
    }

    /// Stores the cancellation of a pending action, or cancels it if the flow has already left its state.
    private func store(in expected: SurveyFlow<Outcome>.State, _ cancel: @escaping @Sendable () -> Void) {
        let isCurrent = state.withLock { state in
            if state.flow.state == expected { state.cancelPending = cancel }
            return state.flow.state == expected
        }
        if !isCurrent { cancel() }
    }
}

extension SurveyRun: Redacted {
    /// A description with the state, never the page, which contains the token.
    public var description: String { "SurveyRun(\(state.withLock { $0.flow.state }))" }
}

extension SurveyPresentation {
    /// Creates a run of this survey, which calls `show` with each step for the view, on the default executor.
    public func run(show: @escaping @Sendable (SurveyRun<SurveyOutcome>.Step) -> Void) -> SurveyRun<SurveyOutcome> {
        let flow = SurveyFlow(timeout: .timedOut(nil), cancelled: SurveyOutcome.discarded) { reason in
            guard let reason else { return .failure(.invalidSurvey) }
            return SurveyOutcome(rawValue: reason).map { .success($0) } ?? .failure(.webContentError(nil))
        }
        return SurveyRun(
            flow: flow, clock: session.client.clock, content: { page().map(on: nil) { .page($0) } }, show: show)
    }
}
