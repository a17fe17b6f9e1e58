import Foundation

/// What happens to a survey on display.
enum SurveyEvent: Sendable {
    /// The screen has appeared.
    case started
    /// The content to display was fetched.
    case fetched(SurveyContent)
    /// The content could not be fetched, or the web view could not load it.
    case failed(MyDataHelpsError)
    /// The page has sent a message.
    case message(SurveyMessage)
    /// The time limit for loading the page has passed.
    case timedOut
    /// The system has ended the page's process, which leaves the web view blank.
    case processEnded
    /// The participant has left.
    case cancelled
}

/// The state of displaying a survey: a value that determines actions without performing them.
///
/// It finishes once; later events have no effect. No state lasts for ever: a request or the timer is pending unless the page
/// is displayed, and the participant can leave in any state.
struct SurveyFlow<Outcome: Sendable>: Sendable {
    /// The next action to perform.
    enum Action: Sendable {
        /// Fetch the content to display.
        case fetch
        /// Start a timer that ends with ``SurveyEvent/timedOut``.
        case startTimer(seconds: TimeInterval)
        /// Cancel the timer or the request that is pending, if any.
        case cancelPending
        /// Pass a step to the view.
        case show(SurveyRun<Outcome>.Step)
    }

    enum State: Sendable, Equatable {
        case unloaded
        /// The content is being fetched.
        case fetching
        /// The web view loads the content.
        case loading
        /// The page is displayed.
        case active
        case finished
    }

    /// The time limit for loading a page, in seconds.
    static var timeLimit: TimeInterval { 15 }

    private(set) var state = State.unloaded
    private(set) var isReloaded = false
    /// The error for a page that is not displayed in time.
    let timeout: MyDataHelpsError
    /// The outcome if the participant leaves before the survey is over.
    let cancelled: Outcome
    /// Returns the result for the reason that the page gives.
    let result: @Sendable (_ reason: String?) -> Result<Outcome, MyDataHelpsError>

    mutating func handle(_ event: SurveyEvent) -> [Action] {
        switch (state, event) {
        case (.finished, _): return []
        case (_, .cancelled): return finish(.success(cancelled))
        case (.unloaded, .started):
            state = .fetching
            return [.fetch]
        case (.fetching, .fetched(let content)):
            state = .loading
            return [.show(.load(content)), .startTimer(seconds: Self.timeLimit)]
        case (.fetching, .failed(let error)), (.loading, .failed(let error)): return finish(.failure(error))
        case (.loading, .timedOut): return finish(.failure(timeout))
        case (.loading, .message(.windowInitialized)):
            state = .active
            return [.cancelPending, .show(.showContent)]
        // A survey may finish before it is displayed.
        case (.loading, .message(.finished(let reason))), (.active, .message(.finished(let reason))):
            return finish(result(reason))
        case (.loading, .processEnded), (.active, .processEnded):
            guard !isReloaded else { return finish(.failure(.webContentError(PageProcessEnded()))) }
            (state, isReloaded) = (.fetching, true)
            // Fetched again, as the token may have expired while the survey was on display.
            return [.cancelPending, .fetch]
        default: return []
        }
    }

    /// Finishes the flow without notifying the app.
    mutating func abandon() -> [Action] {
        state = .finished
        return [.cancelPending]
    }

    private mutating func finish(_ result: Result<Outcome, MyDataHelpsError>) -> [Action] {
        state = .finished
        return [.cancelPending, .show(.finish(result))]
    }
}

/// The error for a page that the system has ended twice, usually for lack of memory.
struct PageProcessEnded: Error, CustomStringConvertible {
    var description: String { "the system ended its page, and again after it was reloaded" }
}
