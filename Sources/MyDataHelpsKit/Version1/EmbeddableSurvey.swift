import Foundation
import PledgeCoding
import PledgeHTTP

/// A survey that is taken in a web view and addressed by links, without a token: the way of version 1.
///
/// The project must allow surveys to be completed by link. Everything here but showing it:
/// `EmbeddableSurveyViewController` does that where there is UIKit.
public struct EmbeddableSurvey: Sendable, Equatable {
    private let baseURL: URL
    private let languageTag: String
    private let segments: [String]

    /// A task of the participant.
    ///
    /// - Parameters:
    ///   - client: how MyDataHelps is reached, and the language.
    ///   - taskLinkIdentifier: from ``SurveyTask/linkIdentifier``.
    ///   - participantLinkIdentifier: from ``ParticipantInfo/linkIdentifier``.
    public init(client: MyDataHelpsClient, taskLinkIdentifier: String, participantLinkIdentifier: String) {
        self.init(client, [participantLinkIdentifier, "tasklink", taskLinkIdentifier])
    }

    /// A survey of the project.
    ///
    /// - Parameters:
    ///   - client: how MyDataHelps is reached, and the language.
    ///   - surveyName: what the survey is called inside the project.
    ///   - participantLinkIdentifier: from ``ParticipantInfo/linkIdentifier``.
    public init(client: MyDataHelpsClient, surveyName: String, participantLinkIdentifier: String) {
        self.init(client, [participantLinkIdentifier, "surveylink", surveyName])
    }

    private init(_ client: MyDataHelpsClient, _ segments: [String]) {
        baseURL = client.baseURL
        languageTag = client.languageTag
        self.segments = segments
    }

    /// What to show in the web view. Holds the participant's link: keep it out of logs.
    ///
    /// - Throws: ``MyDataHelpsError/encodingError(_:)`` where a name or link is empty, or nothing but dots, and where the
    ///   client's address is neither `https` nor on this machine.
    public func url() throws(MyDataHelpsError) -> URL {
        // Nothing can keep a browser from reading these as "here" and "up".
        guard segments.allSatisfy({ !["", ".", ".."].contains($0) }) else { throw .encodingError(NoSuchLink()) }
        var query = QueryItems()
        query.add("lang", languageTag)
        let path = segments.map(Self.escape).joined(separator: "/")
        guard let url = URL(string: "\(baseURL.absoluteString)mydatahelps/\(path)?\(query.encoded)") else {
            throw .encodingError(NoSuchLink())
        }
        guard url.mayCarrySecrets else { throw .encodingError(InsecureLink()) }
        return url
    }

    /// A text as one segment of a path, whatever is in it.
    static func escape(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }
}

/// A link that leads nowhere.
struct NoSuchLink: Error, CustomStringConvertible {
    var description: String { "a link identifier or survey name is empty, or nothing but dots" }
}

/// A link that others could read on its way.
struct InsecureLink: Error, CustomStringConvertible {
    var description: String { "a participant's link must not travel over plain http: use https" }
}

extension EmbeddableSurvey: Discreet {
    /// Where it is; never the participant's link.
    public var description: String { "EmbeddableSurvey(\(baseURL.redacted))" }
}

/// How a participant left a survey that was addressed by link.
public struct EmbeddableSurveyCompletionReason: ServiceWord {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// It is done, and saved.
    public static let completed = EmbeddableSurveyCompletionReason(rawValue: "Completed")
    /// It was left undone.
    public static let closed = EmbeddableSurveyCompletionReason(rawValue: "Closed")
}
