import Foundation
import PledgeHTTP

/// What the page of a survey tells the app.
public enum SurveyMessage: Sendable, Equatable {
    /// It can be seen.
    case windowInitialized
    /// It is over, and why; nil where there is no such survey.
    case finished(reason: String?)

    /// The handlers the page calls.
    public static let handlerNames = ["SurveyWindowInitialized", "SurveyFinished"]

    /// A call of a handler; nil for one that is none of these.
    ///
    /// - Parameters:
    ///   - handler: its name.
    ///   - body: what it was called with: the reason, or, in version 1, an object that has it.
    public init?(handler: String, body: Any?) {
        switch handler {
        case "SurveyWindowInitialized":
            self = .windowInitialized
        case "SurveyFinished":
            self = .finished(reason: body as? String ?? (body as? [String: Any])?["reason"] as? String)
        default:
            return nil
        }
    }
}

/// Who called a handler: a frame of the web view, as the view describes it.
struct SurveySender: Sendable {
    /// Whether it is the page itself, and not what the page, or somebody else, put into it.
    var isMainFrame: Bool
    /// The origin's scheme.
    var scheme: String
    /// The origin's host.
    var host: String
    /// The origin's port; 0 for the scheme's own.
    var port: Int

    /// Whether its messages count: it is the page that was loaded, and still of the origin it was loaded from. Anybody
    /// else could end a survey, or say how it ended.
    func speaks(for content: SurveyContent) -> Bool {
        let address: URL =
            switch content {
            case .page(let page): page.baseURL
            case .address(let url): url
            }
        // A web view may write an IPv6 address with or without its brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let origin = Origin(scheme: scheme, host: name, port: port == 0 ? nil : port)
        return isMainFrame && !host.isEmpty && origin == Origin(address)
    }
}

/// Where the showing of a survey stands: a value that says what to do, and does nothing itself.
///
/// It is finished once; whatever comes later changes nothing.
public struct SurveyFlow<Outcome: Sendable>: Sendable {
    /// What to do next.
    public enum Action: Sendable {
        /// Fetch what to show.
        case load
        /// Begin to wait: if the page is not there when this many seconds are over, tell the flow.
        case startTimer(seconds: TimeInterval)
        /// The page is there: show it instead of the spinner, and stop waiting.
        case showContent
        /// It is over: stop everything, and tell the app.
        case finish(Result<Outcome, MyDataHelpsError>)
    }

    /// Where it stands.
    public enum State: Sendable, Equatable {
        /// Nothing has happened.
        case unloaded
        /// The page is on its way.
        case loadingContent
        /// The page is there.
        case activeContent
        /// It is over.
        case finished
    }

    /// How long a page may take, in seconds.
    public static var patience: TimeInterval { 15 }

    /// Where it stands.
    public private(set) var state = State.unloaded
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
    public mutating func start() -> [Action] {
        guard state == .unloaded else { return [] }
        state = .loadingContent
        return [.load]
    }

    /// What to show was fetched, and is given to the web view.
    public func contentIsLoading() -> [Action] {
        state == .loadingContent ? [.startTimer(seconds: Self.patience)] : []
    }

    /// The page says something. What is over may be over before it was to be seen.
    public mutating func receive(_ message: SurveyMessage) -> [Action] {
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
    public mutating func fail(_ error: MyDataHelpsError) -> [Action] {
        state == .loadingContent ? finish(.failure(error)) : []
    }

    /// The time is up.
    public mutating func timeIsUp() -> [Action] {
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
    public static var embeddable: SurveyFlow {
        SurveyFlow(impatience: .webContentError(nil)) { reason in
            reason.map { .success(Outcome(rawValue: $0)) } ?? .failure(.webContentError(nil))
        }
    }
}

extension SurveyFlow where Outcome == SurveyOutcome {
    /// The flow of version 2.
    public static var presentation: SurveyFlow {
        SurveyFlow(impatience: .timedOut(nil)) { reason in
            guard let reason else { return .failure(.invalidSurvey) }
            return SurveyOutcome(rawValue: reason).map { .success($0) } ?? .failure(.webContentError(nil))
        }
    }
}
