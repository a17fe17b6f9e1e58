import Foundation

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
        FailureReason("the system ended its page, and again after it was reloaded")
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
            (state, isReloaded) = (.fetching, true)
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
