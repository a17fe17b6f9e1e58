import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// A survey for a web view, as in version 1 of the vendor's SDK. Links identify the survey and the participant, and no
/// token is needed.
///
/// The project must allow participants to complete surveys by link. On platforms with UIKit,
/// `EmbeddableSurveyViewController` displays the survey.
public struct EmbeddableSurvey: Sendable, Equatable {
    private let baseURL: URL
    private let languageTag: String
    private let segments: [String]
    private let plainHTTPHosts: Set<String>

    /// Creates a survey for a task of the participant.
    ///
    /// - Parameters:
    ///   - client: The client that provides the base URL and the language.
    ///   - taskLinkIdentifier: The task's link identifier, from ``SurveyTask/linkIdentifier``.
    ///   - participantLinkIdentifier: The participant's link identifier, from ``ParticipantInfo/linkIdentifier``.
    public init(client: MyDataHelpsClient, taskLinkIdentifier: String, participantLinkIdentifier: String) {
        self.init(client, [participantLinkIdentifier, "tasklink", taskLinkIdentifier])
    }

    /// Creates a survey from its name inside the project.
    public init(client: MyDataHelpsClient, surveyName: String, participantLinkIdentifier: String) {
        self.init(client, [participantLinkIdentifier, "surveylink", surveyName])
    }

    private init(_ client: MyDataHelpsClient, _ segments: [String]) {
        baseURL = client.baseURL
        languageTag = client.languageTag
        self.segments = segments
        plainHTTPHosts = client.options.plainHTTPHosts
    }

    /// Returns the URL to load in the web view. The URL contains the participant's link identifier, so keep it out of
    /// logs.
    ///
    /// Throws ``MyDataHelpsError/encodingError(_:)`` if a name or a link identifier is empty, ".", or "..". Throws the
    /// same error if the client's base URL is not secure: it must be an `https` URL, or an `http` URL on this machine
    /// or on one of the hosts in `plainHTTPHosts` of the client's options.
    public func url() throws(MyDataHelpsError) -> URL {
        guard !segments.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw .encodingError(FailureReason.unusableIdentifier)
        }
        let path = segments.map(PathSegments.encoded).joined(separator: "/")
        let query: QueryItems = ["lang": languageTag]
        guard let url = URL(string: "\(baseURL.absoluteString)mydatahelps/\(path)?\(query.encoded)") else {
            throw .encodingError(FailureReason.unusableIdentifier)
        }
        guard url.mayCarrySecrets(trusting: plainHTTPHosts) else {
            throw .encodingError(
                FailureReason("a participant's link must not be sent over plain http: use https"))
        }
        return url
    }
}

extension EmbeddableSurvey {
    /// Creates a run of this survey. The run calls `show` on Pledge's default queue with each step that the view must
    /// perform.
    public func run(
        clock: Timekeeper = .live,
        show: @escaping @Sendable (SurveyRun<EmbeddableSurveyCompletionReason>.Step) -> Void
    ) -> SurveyRun<EmbeddableSurveyCompletionReason> {
        // Every reason counts as success. If there is none, the survey's name or link is wrong.
        let flow = SurveyFlow(timeout: .webContentError(nil), cancelled: EmbeddableSurveyCompletionReason.closed) {
            $0.map { .success(EmbeddableSurveyCompletionReason(rawValue: $0)) } ?? .failure(.webContentError(nil))
        }
        return SurveyRun(
            flow: flow, clock: clock, content: { firstly { Promise.value(.address(try url())) } }, show: show)
    }
}

extension EmbeddableSurvey: Redacted {
    /// A description with the base URL, but never the participant's link identifier.
    public var description: String { "EmbeddableSurvey(\(baseURL.redacted))" }
}

/// The way in which a participant left an ``EmbeddableSurvey``.
public struct EmbeddableSurveyCompletionReason: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The participant completed the survey, and the answers are saved.
    public static let completed = EmbeddableSurveyCompletionReason(rawValue: "Completed")
    /// The participant left the survey incomplete.
    public static let closed = EmbeddableSurveyCompletionReason(rawValue: "Closed")
}
