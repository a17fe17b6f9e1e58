import Foundation

/// Where the showing of a survey stands: a value that says what to do, and does nothing itself.
///
/// It is finished once; whatever comes later changes nothing.
struct SurveyFlow<Outcome: Sendable>: Sendable {
    /// What to do next.
    enum Action: Sendable {
        /// Fetch what to show.
        case load
        /// Begin to wait: if the page is not there when this many seconds are over, tell the flow.
        case startTimer(seconds: TimeInterval)
        /// The page is there: show it instead of the spinner, and stop waiting.
        case showContent
        /// It is over: stop everything, and tell the app.
        case finish(Result<Outcome, MyDataHelpsError>)
    }

    enum State: Sendable, Equatable {
        case unloaded
        /// The page is on its way.
        case loadingContent
        /// The page is there.
        case activeContent
        case finished
    }

    /// How long a page may take, in seconds.
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

    /// The screen is there.
    mutating func start() -> [Action] {
        guard state == .unloaded else { return [] }
        state = .loadingContent
        return [.load]
    }

    /// What to show was fetched, and is given to the web view.
    func contentIsLoading() -> [Action] {
        state == .loadingContent ? [.startTimer(seconds: Self.patience)] : []
    }

    /// The page says something. What is over may be over before it was to be seen.
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

    /// What to show could not be fetched, or not be shown.
    mutating func fail(_ error: MyDataHelpsError) -> [Action] {
        state == .loadingContent ? finish(.failure(error)) : []
    }

    /// The time is up.
    mutating func timeIsUp() -> [Action] {
        state == .loadingContent ? finish(.failure(impatience)) : []
    }

    /// Nobody looks any more.
    mutating func abandon() {
        state = .finished
    }

    private mutating func finish(_ result: Result<Outcome, MyDataHelpsError>) -> [Action] {
        state = .finished
        return [.finish(result)]
    }
}

extension SurveyFlow where Outcome == EmbeddableSurveyCompletionReason {
    /// The flow of version 1: any reason is one, and none means that name or link is wrong.
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
