import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A message from a survey's page to the app.
enum SurveyMessage: Sendable, Equatable {
    /// The survey is visible.
    case windowInitialized
    /// The survey is over for this reason; nil if there is no such survey.
    case finished(reason: String?)

    /// The message handlers the page calls.
    static let handlerNames = ["SurveyWindowInitialized", "SurveyFinished"]

    /// Creates a message from a handler call; nil for any other handler.
    ///
    /// - Parameters:
    ///   - handler: The name of the handler.
    ///   - body: The body of the message: the reason or, in version 1, an object that contains it.
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

/// The sender of a message: a frame of the web view, as described by the view.
struct SurveySender: Sendable {
    /// Whether the frame is the page itself, rather than embedded in it.
    var isMainFrame: Bool
    var scheme: String
    var host: String
    /// The origin's port; 0 for the scheme's default port.
    var port: Int

    /// Returns whether messages from this frame are accepted: it must be the page that was loaded, at the origin it
    /// was loaded from. Any other frame could end a survey or forge its outcome.
    func speaks(for content: SurveyContent) -> Bool {
        let address: URL =
            switch content {
            case .page(let page): page.baseURL
            case .address(let url): url
            }
        // A web view may report an IPv6 address with or without brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let origin = Origin(scheme: scheme, host: name, port: port == 0 ? nil : port)
        return isMainFrame && !host.isEmpty && origin == Origin(address)
    }
}

/// A link that is followed in the web view.
struct SurveyLink: Sendable {
    /// Whether the participant tapped it.
    var isTapped: Bool
    /// Whether the frame that contains the link is the page itself, rather than the survey in it.
    var isInMainFrame: Bool
    var request: URLRequest

    /// The URL to open outside the web view; nil for what the web view loads itself. The link's target does not matter:
    /// a link to a new window has no frame, and one to the top would replace the page.
    var outside: URL? {
        guard isTapped, !isInMainFrame, request.httpMethod ?? "GET" == "GET" else { return nil }
        return request.url.flatMap { $0.scheme == "https" ? $0 : nil }
    }
}
