import Dispatch
import Foundation
import Pledge
import PledgeCoding

/// What to put into the web view.
public enum SurveyContent: Sendable {
    /// A document, for the web view to show.
    case page(SurveyPage)
    /// An address, for the web view to load.
    case address(URL)
}

extension SurveyContent: Discreet {
    /// What kind it is; never the token or the participant's link.
    public var description: String {
        switch self {
        case .page(let page): "\(page)"
        case .address: "the address of a survey"
        }
    }
}

/// Carries a survey from the first screen to the last, for whoever has a web view: everything but the view.
///
/// It tells the view what to do by ``Step``, and is told what happens. Call it from any thread; steps come one at a
/// time, in order, and not inside such a call.
public final class SurveyRun<Outcome: Sendable>: Sendable {
    /// What the view has to do.
    public enum Step: Sendable {
        /// Give this to the web view, behind the spinner.
        case load(SurveyContent)
        /// Show the web view instead of the spinner.
        case showContent
        /// Stop loading, and tell the app. Comes once, as the last step.
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

    /// The handlers the page calls: add each to the web view.
    public static var handlerNames: [String] { SurveyMessage.handlerNames }

    /// The screen is there.
    public func start() {
        perform { $0.start() }
    }

    /// The page called a handler; a call that is not known is ignored. So must be, before this, one that does not come
    /// from the page itself.
    public func receive(handler: String, body: Any?) {
        guard let message = SurveyMessage(handler: handler, body: body) else { return }
        perform { $0.receive(message) }
    }

    /// The web view could not load the page. Once the page is there this changes nothing.
    public func loadFailed(_ error: any Error) {
        perform { $0.fail(.webContentError(error)) }
    }

    /// Nobody looks any more: ends the request and the waiting, and tells nobody.
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
            // Under the lock, so that steps come in the order they were decided in.
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

extension SurveyRun: Discreet {
    /// Where it stands; never the page, which holds the token.
    public var description: String { "SurveyRun(\(state.withLock { $0.flow.state }))" }
}

extension SurveyPresentation {
    /// A run of this survey.
    ///
    /// - Parameter show: told what the view has to do, on the default executor.
    public func run(show: @escaping @Sendable (SurveyRun<SurveyOutcome>.Step) -> Void) -> SurveyRun<SurveyOutcome> {
        let presentation = self
        return SurveyRun(
            flow: .presentation, clock: session.client.clock,
            content: { presentation.page().map(on: nil) { .page($0) } }, show: show)
    }
}

extension EmbeddableSurvey {
    /// A run of this survey.
    ///
    /// - Parameters:
    ///   - clock: the clock that says when a page takes too long.
    ///   - show: told what the view has to do, on the default executor.
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
