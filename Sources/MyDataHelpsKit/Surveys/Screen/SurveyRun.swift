import Dispatch
import Foundation
import Pledge
import PledgeCoding

/// The content to load into the web view.
public enum SurveyContent: Sendable {
    /// A document to display in the web view.
    case page(SurveyPage)
    /// A URL for the web view to load.
    case address(URL)
}

extension SurveyContent: Redacted {
    /// A description of the kind of content, never the token or the participant's link.
    public var description: String {
        switch self {
        case .page(let page): "\(page)"
        case .address: "the address of a survey"
        }
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
        var callOff: (@Sendable () -> Void)?
        var loading: Promise<SurveyContent>?
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
    public static var handlerNames: [String] { SurveyMessage.handlerNames }

    /// Starts the survey when the screen appears.
    public func start() {
        perform { $0.start() }
    }

    /// Handles a message from the page; unknown handlers are ignored. The caller must first discard messages that do
    /// not come from the page itself.
    public func receive(handler: String, body: Any?) {
        guard let message = SurveyMessage(handler: handler, body: body) else { return }
        perform { $0.receive(message) }
    }

    /// Handles a failure of the web view to load the page. It has no effect once the page is displayed.
    public func loadFailed(_ error: any Error) {
        perform { $0.fail(.webContentError(error)) }
    }

    /// Stops the survey: cancels the request and the timer, without delivering a step.
    public func stop() {
        let (callOff, loading) = state.withLock { state in
            state.flow.abandon()
            return (state.callOff.take(), state.loading.take())
        }
        callOff?()
        loading?.cancel()
    }

    private func perform(_ change: @Sendable (inout SurveyFlow<Outcome>) -> [SurveyFlow<Outcome>.Action]) {
        let actions = state.withLock { state in
            let actions = change(&state.flow)
            // Under the lock, so that steps are delivered in the order they were determined.
            for action in actions {
                if case .showContent = action { deliver(.showContent) }
                if case .finish(let result) = action { deliver(.finish(result)) }
            }
            return actions
        }
        for action in actions {
            switch action {
            case .load: load()
            case .startTimer(let seconds): startTimer(seconds)
            case .showContent, .finish: state.withLock { $0.callOff.take() }?()
            }
        }
    }

    private func deliver(_ step: Step) {
        DispatchQueue.pledge.async { [show] in show(step) }
    }

    private func load() {
        let loading = content()
        state.withLock { $0.loading = loading }
        loading.pipe { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let content):
                state.withLock { if $0.flow.state == .loadingContent { deliver(.load(content)) } }
                perform { $0.contentIsLoading() }
            case .failure(let error):
                perform { $0.fail(MyDataHelpsError(error)) }
            }
        }
    }

    private func startTimer(_ seconds: TimeInterval) {
        let callOff = clock.schedule(seconds) { [weak self] in
            self?.perform { $0.timeIsUp() }
        }
        let isLate = state.withLock { state in
            if state.flow.state == .loadingContent { state.callOff = callOff }
            return state.flow.state != .loadingContent
        }
        if isLate { callOff() }
    }
}

extension SurveyRun: Redacted {
    /// A description with the state, never the page, which contains the token.
    public var description: String { "SurveyRun(\(state.withLock { $0.flow.state }))" }
}

extension SurveyPresentation {
    /// Creates a run of this survey.
    ///
    /// - Parameter show: A handler called with each step for the view, on the default executor.
    public func run(show: @escaping @Sendable (SurveyRun<SurveyOutcome>.Step) -> Void) -> SurveyRun<SurveyOutcome> {
        let presentation = self
        return SurveyRun(
            flow: .presentation, clock: session.client.clock,
            content: { presentation.page().map(on: nil) { .page($0) } }, show: show)
    }
}

extension EmbeddableSurvey {
    /// Creates a run of this survey.
    ///
    /// - Parameters:
    ///   - clock: The clock used for the time limit for loading the page.
    ///   - show: A handler called with each step for the view, on the default executor.
    public func run(
        clock: Timekeeper = .live,
        show: @escaping @Sendable (SurveyRun<EmbeddableSurveyCompletionReason>.Step) -> Void
    ) -> SurveyRun<EmbeddableSurveyCompletionReason> {
        let survey = self
        return SurveyRun(
            flow: .embeddable, clock: clock,
            content: { firstly { Promise.value(.address(try survey.url())) } }, show: show)
    }
}
