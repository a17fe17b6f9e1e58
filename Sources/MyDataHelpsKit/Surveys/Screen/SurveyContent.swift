import Foundation
import PledgeCoding
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The content to load into the web view.
public enum SurveyContent: Sendable {
    /// A document to display in the web view.
    case page(SurveyPage)
    /// A URL for the web view to load.
    case address(URL)
}

extension SurveyContent: Redacted {
    /// A description of the kind of content, never the token or the participant's link.
    public var description: String {
        switch self {
        case .page(let page): "\(page)"
        case .address: "the address of a survey"
        }
    }
}

extension SurveyContent {
    /// Returns whether messages from a frame are accepted: only from the loaded page at its origin, because any other
    /// frame could end a survey or forge its outcome. The port is 0 for the scheme's default.
    func accepts(isMainFrame: Bool, scheme: String, host: String, port: Int) -> Bool {
        let address: URL =
            switch self {
            case .page(let page): page.baseURL
            case .address(let url): url
            }
        // A web view may report an IPv6 address with or without brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        let origin = Origin(scheme: scheme, host: name, port: port == 0 ? nil : port)
        return isMainFrame && !host.isEmpty && origin == Origin(address)
    }

    /// Returns the URL of a link to open outside the web view; nil for what the web view loads itself. The link's
    /// target does not matter: a link to a new window has no frame, and one to the top would replace the page.
    ///
    /// - Parameter isInMainFrame: Whether the link is in the page itself, rather than in the survey's frame.
    static func outside(_ request: URLRequest, isTapped: Bool, isInMainFrame: Bool) -> URL? {
        guard isTapped, request.httpMethod ?? "GET" == "GET", let url = request.url else { return nil }
        switch url.scheme?.lowercased() {
        // A web view cannot open these; one may be that of a crisis line.
        case "tel", "sms", "mailto": return url
        case "https", "http": return isInMainFrame ? nil : url
        default: return nil
        }
    }
}
