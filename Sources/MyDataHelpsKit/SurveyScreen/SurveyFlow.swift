import Dispatch
import Foundation
import Pledge
import PledgeCoding

/// An event of a survey that is being displayed.
enum SurveyEvent: Sendable {
    case started
    case fetched(SurveyContent)
    /// The content could not be fetched, or the web view could not load it.
    case failed(MyDataHelpsError)
    /// The page is ready to be shown.
    case initialized
    /// The survey is over, for the reason that the page sends. The reason is nil if there is no such survey.
    case ended(reason: String?)
    case timedOut
    /// The system has ended the page's process, and the web view is now blank.
    case processEnded
    case cancelled
    /// The screen is gone, so the survey ends without notifying the app.
    case stopped

    /// The names of the message handlers that the page calls.
    static let handlerNames = ["SurveyWindowInitialized", "SurveyFinished"]

    /// Creates an event from the page's call of a message handler, or returns nil if the handler is unknown.
    ///
    /// The body of the message is the reason or, in version 1, an object that contains the reason.
    init?(handler: String, body: Any?) {
        switch handler {
        case "SurveyWindowInitialized": self = .initialized
        case "SurveyFinished":
            self = .ended(reason: body as? String ?? (body as? [String: Any])?["reason"] as? String)
        default: return nil
        }
    }
}

/// The state machine of a survey that is being displayed. It returns actions, and does not perform them itself.
///
/// The survey finishes once, and later events have no effect. Until then, something is always happening: a request or
/// the timer is pending, or the page is displayed. The participant can always leave.
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
    /// The system has ended the page's process twice. It usually does so because memory is low.
    private static var processEndedTwice: FailureReason {
        FailureReason("the system ended its page twice, the second time after a reload")
    }

    private(set) var state = State.unloaded
    private(set) var isReloaded = false
    let timeout: MyDataHelpsError
    /// The outcome if the participant leaves before the survey ends.
    let cancelled: Outcome
    /// Returns the result for a reason that the page sends.
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
            // The content is fetched again, because the token in it may have expired in the meantime.
            return [.cancelPending, .fetch]
        default: return []
        }
    }

    private mutating func finish(_ result: Result<Outcome, MyDataHelpsError>) -> [Action] {
        state = .finished
        return [.cancelPending, .show(.finish(result))]
    }
}

/// An object that runs a survey from start to finish, for an app with a web view of its own.
///
/// The run sends each ``Step`` to the app, which performs the step on its view. The app calls the methods of the run to
/// report events. You can call these methods from any thread.
///
/// Steps arrive one at a time and in order. They are sent from a queue, and never from within one of these methods.
public final class SurveyRun<Outcome: Sendable>: Sendable {
    /// A step for the view to perform.
    public enum Step: Sendable {
        /// Load this content into the web view, behind the spinner.
        case load(SurveyContent)
        /// Show the web view instead of the spinner.
        case showContent
        /// Stop loading, and notify the app. This is the last step, and it is sent only once.
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

    /// The names of the message handlers that the page calls. Add a handler for each name to the web view.
    public static var handlerNames: [String] { SurveyEvent.handlerNames }

    /// Starts the survey when the screen appears.
    public func start() { handle(.started) }

    /// Handles a message from the page. A message for an unknown handler is ignored.
    ///
    /// Before you call this method, discard messages that come from another source than the page.
    public func receive(handler: String, body: Any?) {
        if let event = SurveyEvent(handler: handler, body: body) { handle(event) }
    }

    /// Handles an error with which the web view failed to load the page. It has no effect once the page is displayed.
    public func loadFailed(_ error: any Error) { handle(.failed(.webContentError(error))) }

    /// Handles the end of the page's process. The first time this happens, the page is loaded again. Show the spinner
    /// until the next step.
    public func processEnded() { handle(.processEnded) }

    /// Finishes the survey for a participant who leaves. The outcome is “discarded” or, if links identify the survey,
    /// “closed”. Offer a button for this while the spinner is shown.
    public func cancel() { handle(.cancelled) }

    /// Stops the survey. It cancels the request and the timer, and sends no further step.
    public func stop() { handle(.stopped) }

    func handle(_ event: SurveyEvent) {
        let actions = state.withLock { state in
            let actions = state.flow.handle(event)
            // The steps are submitted under the lock, so that they arrive in the order in which they were determined.
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

    /// Stores the function that cancels a pending action. If the flow has already left the state in which it began the
    /// action, cancels the action at once.
    private func store(in expected: SurveyFlow<Outcome>.State, _ cancel: @escaping @Sendable () -> Void) {
        let isCurrent = state.withLock { state in
            if state.flow.state == expected { state.cancelPending = cancel }
            return state.flow.state == expected
        }
        if !isCurrent { cancel() }
    }
}

extension SurveyRun: Redacted {
    /// A description with the state, but never the page, because the page contains the token.
    public var description: String { "SurveyRun(\(state.withLock { $0.flow.state }))" }
}

extension SurveyPresentation {
    /// Creates a run of this survey. The run calls `show` on Pledge's default queue with each step that the view must
    /// perform.
    public func run(show: @escaping @Sendable (SurveyRun<SurveyOutcome>.Step) -> Void) -> SurveyRun<SurveyOutcome> {
        let flow = SurveyFlow(timeout: .timedOut(nil), cancelled: SurveyOutcome.discarded) { reason in
            guard let reason else { return .failure(.invalidSurvey) }
            return SurveyOutcome(rawValue: reason).map { .success($0) } ?? .failure(.webContentError(nil))
        }
        return SurveyRun(
            flow: flow, clock: session.client.clock, content: { page().map(on: nil) { .page($0) } }, show: show)
    }
}
