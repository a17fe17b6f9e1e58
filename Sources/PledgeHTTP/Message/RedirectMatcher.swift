import Foundation

/// Tells whether an address is the one a flow ends with.
package struct RedirectMatcher: Sendable, Equatable, CustomStringConvertible {
    private let origin: Origin?
    private let path: String

    /// A matcher for an address: a universal link or one with a scheme of the app's own.
    package init(_ url: URL) {
        // Who is named before the host changes nothing about where the address leads.
        origin = Origin(url).map { Origin(scheme: $0.scheme, host: $0.host, port: $0.port) }
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? ""
        // What a browser opens has a path of at least a slash.
        self.path = path.isEmpty ? "/" : path
    }

    /// Whether scheme, host, port and path are the same; query and fragment do not count.
    package func matches(_ url: URL) -> Bool { origin != nil && self == RedirectMatcher(url) }

    /// The address without query and fragment.
    package var description: String {
        guard let origin else { return "an unreadable address" }
        return "\(origin.scheme)://\(origin.host)\(origin.port.map { ":\($0)" } ?? "")\(path)"
    }
}
