import Foundation
import PledgeHTTP

/// What the page of a survey tells the app.
enum SurveyMessage: Sendable, Equatable {
    /// It can be seen.
    case windowInitialized
    /// It is over, and why; nil where there is no such survey.
    case finished(reason: String?)

    /// The handlers the page calls.
    static let handlerNames = ["SurveyWindowInitialized", "SurveyFinished"]

    /// A call of a handler; nil for one that is none of these.
    ///
    /// - Parameters:
    ///   - handler: its name.
    ///   - body: what it was called with: the reason, or, in version 1, an object that has it.
    init?(handler: String, body: Any?) {
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
    var scheme: String
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
