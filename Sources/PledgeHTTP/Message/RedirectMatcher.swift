import Foundation

/// A matcher of URLs against the redirect URL of a sign-in flow.
package struct RedirectMatcher: Sendable, Equatable, CustomStringConvertible {
    private let origin: Origin?
    private let path: String

    /// Creates a matcher for a URL: a universal link, or one with the app's custom scheme.
    package init(_ url: URL) {
        // A user name before the host does not change where the URL leads.
        origin = Origin(url).map { Origin(scheme: $0.scheme, host: $0.host, port: $0.port) }
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        // A URL opened by a browser has a path of at least a slash.
        self.path = path.isEmpty ? "/" : path
    }

    /// Returns whether the scheme, host, port, and path are equal; the query and fragment are ignored.
    package func matches(_ url: URL) -> Bool { origin != nil && self == RedirectMatcher(url) }

    /// The URL without query and fragment.
    package var description: String {
        guard let origin else { return "an invalid URL" }
        return "\(origin.scheme)://\(origin.host)\(origin.port.map { ":\($0)" } ?? "")\(path)"
    }
}
