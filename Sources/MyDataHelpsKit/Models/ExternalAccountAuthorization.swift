import Foundation

/// What to show the participant so that they can connect to a provider.
///
/// Open ``authorizationURL`` in a browser (`SFSafariViewController`, not a web view), and close it when
/// ``isFinalRedirect(_:)`` says that the app was opened with the address it waits for. The participant may also give
/// up; only ``ParticipantSession/listExternalAccounts()`` tells whether they connected.
public struct ExternalAccountAuthorization: Sendable, Equatable {
    /// Whom to connect to.
    public var providerID: ExternalAccountProvider.ID
    /// The provider, where the caller named it as such.
    public var provider: ExternalAccountProvider?
    /// Where the participant signs in. Personal, and valid for a short time and once: keep it out of logs.
    public var authorizationURL: URL
    /// What the browser opens in the end.
    public var finalRedirectURL: URL

    /// An authorization, as for tests and previews.
    public init(
        providerID: ExternalAccountProvider.ID, provider: ExternalAccountProvider? = nil, authorizationURL: URL,
        finalRedirectURL: URL
    ) {
        self.providerID = providerID
        self.provider = provider
        self.authorizationURL = authorizationURL
        self.finalRedirectURL = finalRedirectURL
    }

    /// Whether an address the app was opened with is the one it waits for.
    ///
    /// - Parameter url: what the app was opened with.
    /// - Returns: true if scheme, host, port and path are the same. Query and fragment do not count: the service may
    ///   add to them.
    public func isFinalRedirect(_ url: URL) -> Bool {
        RedirectMatcher(finalRedirectURL).matches(url)
    }
}

extension ExternalAccountAuthorization: CustomStringConvertible, CustomReflectable {
    /// The provider and where it ends; never the personal address.
    public var description: String {
        "ExternalAccountAuthorization(provider \(providerID), redirects to \(RedirectMatcher(finalRedirectURL)))"
    }

    /// The same for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["authorization": description]) }
}

/// Tells whether an address is the one a flow ends with.
public struct RedirectMatcher: Sendable, Equatable, CustomStringConvertible {
    private let scheme: String
    private let host: String
    private let port: Int?
    private let path: String

    /// A matcher for an address: a universal link or one with a scheme of the app's own.
    public init(_ url: URL) {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let usualPort = ["http": 80, "https": 443][scheme]
        self.scheme = scheme
        host = parts?.host?.lowercased() ?? ""
        port = parts?.port.flatMap { $0 == usualPort ? nil : $0 }
        // What a browser opens has a path of at least a slash.
        let path = parts?.path ?? ""
        self.path = path.isEmpty ? "/" : path
    }

    /// Whether scheme, host, port and path are the same; query and fragment do not count.
    public func matches(_ url: URL) -> Bool { self == RedirectMatcher(url) }

    /// The address without query and fragment.
    public var description: String { "\(scheme)://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }
}
