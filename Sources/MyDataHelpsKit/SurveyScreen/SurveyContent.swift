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
    /// A description of the kind of content, but never the token or the participant's link identifier.
    public var description: String {
        switch self {
        case .page(let page): "\(page)"
        case .address: "the address of a survey"
        }
    }
}

extension SurveyContent {
    /// Returns whether messages from a frame are accepted. Only the loaded page at its own origin may send messages.
    /// Any other frame could end a survey or forge its outcome.
    ///
    /// - Parameter port: The port of the frame's origin; 0 for the default port of the scheme.
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

    /// Returns the URL of a tapped link that must open outside the web view; nil if the web view loads the link itself.
    ///
    /// A tapped link in the survey's frame opens a web page outside the web view, even if the link asks for a new
    /// window or for the top frame. Inside the web view, a link for a new window would have no frame to open in, and a
    /// link for the top frame would replace the page.
    ///
    /// - Parameter isInMainFrame: Whether the link is in the page itself, and not in the survey's frame.
    static func outside(_ request: URLRequest, isTapped: Bool, isInMainFrame: Bool) -> URL? {
        guard isTapped, request.httpMethod ?? "GET" == "GET", let url = request.url else { return nil }
        switch url.scheme?.lowercased() {
        // A web view can't open these links, but they must work: one may be the number of a crisis line.
        case "tel", "sms", "mailto": return url
        case "https", "http": return isInMainFrame ? nil : url
        default: return nil
        }
    }
}
