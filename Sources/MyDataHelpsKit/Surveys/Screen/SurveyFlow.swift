import Foundation

/// The state of displaying a survey: a value that determines actions without performing them.
///
/// It finishes once; later events have no effect.
struct SurveyFlow<Outcome: Sendable>: Sendable {
    /// The next action to perform.
    enum Action: Sendable {
        /// Fetch the content to display.
        case load
        /// Start a timer, and notify the flow if the page has not appeared after this number of seconds.
        case startTimer(seconds: TimeInterval)
        /// The page is ready: show it instead of the spinner, and stop the timer.
        case showContent
        /// The survey is over: stop everything, and notify the app.
        case finish(Result<Outcome, MyDataHelpsError>)
    }

    enum State: Sendable, Equatable {
        case unloaded
        /// The page is loading.
        case loadingContent
        /// The page is displayed.
        case activeContent
        case finished
    }

    /// The time limit for loading a page, in seconds.
    static var patience: TimeInterval { 15 }

    private(set) var state = State.unloaded
    private let outcome: @Sendable (_ reason: String?) -> Result<Outcome, MyDataHelpsError>
    private let impatience: MyDataHelpsError

    init(
        impatience: MyDataHelpsError,
        outcome: @escaping @Sendable (_ reason: String?) -> Result<Outcome, MyDataHelpsError>
    ) {
        self.impatience = impatience
        self.outcome = outcome
    }

    /// Starts the flow when the screen appears.
    mutating func start() -> [Action] {
        guard state == .unloaded else { return [] }
        state = .loadingContent
        return [.load]
    }

    /// Starts the timer when the content has been passed to the web view.
    func contentIsLoading() -> [Action] {
        state == .loadingContent ? [.startTimer(seconds: Self.patience)] : []
    }

    /// Handles a message from the page. A survey may finish before it is displayed.
    mutating func receive(_ message: SurveyMessage) -> [Action] {
        switch (message, state) {
        case (.windowInitialized, .loadingContent):
            state = .activeContent
            return [.showContent]
        case (.finished(let reason), .loadingContent), (.finished(let reason), .activeContent):
            return finish(outcome(reason))
        default:
            return []
        }
    }

    /// Handles a failure to fetch or display the content.
    mutating func fail(_ error: MyDataHelpsError) -> [Action] {
        state == .loadingContent ? finish(.failure(error)) : []
    }

    /// Handles the end of the time limit.
    mutating func timeIsUp() -> [Action] {
        state == .loadingContent ? finish(.failure(impatience)) : []
    }

    /// Finishes the flow without notifying the app.
    mutating func abandon() {
        state = .finished
    }

    private mutating func finish(_ result: Result<Outcome, MyDataHelpsError>) -> [Action] {
        state = .finished
        return [.finish(result)]
    }
}

extension SurveyFlow where Outcome == EmbeddableSurveyCompletionReason {
    /// The flow of version 1: any reason is a success, and a missing one means that the name or link is wrong.
    static var embeddable: SurveyFlow {
        SurveyFlow(impatience: .webContentError(nil)) { reason in
            reason.map { .success(Outcome(rawValue: $0)) } ?? .failure(.webContentError(nil))
        }
    }
}

extension SurveyFlow where Outcome == SurveyOutcome {
    /// The flow of version 2.
    static var presentation: SurveyFlow {
        SurveyFlow(impatience: .timedOut(nil)) { reason in
            guard let reason else { return .failure(.invalidSurvey) }
            return SurveyOutcome(rawValue: reason).map { .success($0) } ?? .failure(.webContentError(nil))
        }
    }
}
