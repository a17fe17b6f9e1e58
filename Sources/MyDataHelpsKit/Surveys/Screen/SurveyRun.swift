import Dispatch
import Foundation
import Pledge
import PledgeCoding

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
