import Foundation
import PledgeCoding
import PledgeHTTP

/// What to show the participant so that they can connect to a provider.
///
/// Open ``authorizationURL`` in a browser (`SFSafariViewController`, not a web view), and close it when
/// ``isFinalRedirect(_:)`` says that the app was opened with the address it waits for. The participant may also give
/// up; only `listExternalAccounts()` tells whether they connected.
public struct ExternalAccountAuthorization: Sendable, Equatable {
    /// The provider to connect to.
    public var providerID: ExternalAccountProvider.ID
    /// The provider, where the caller named it as such.
    public var provider: ExternalAccountProvider?
    /// Where the participant signs in. Personal, and valid for a short time and once: keep it out of logs. From the
    /// service it is always an `https` address, or an `http` one of this machine: anything else is refused.
    public var authorizationURL: URL
    /// What the browser opens in the end.
    public var finalRedirectURL: URL

    /// Makes an authorization by hand, for tests and previews.
    public init(
        providerID: ExternalAccountProvider.ID, provider: ExternalAccountProvider? = nil, authorizationURL: URL,
        finalRedirectURL: URL
    ) {
        self.providerID = providerID
        self.provider = provider
        self.authorizationURL = authorizationURL
        self.finalRedirectURL = finalRedirectURL
    }

    /// The same for a caller who has the provider itself.
    func naming(_ provider: ExternalAccountProvider) -> ExternalAccountAuthorization {
        var named = self
        named.provider = provider
        return named
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

extension ExternalAccountAuthorization: Discreet {
    /// The provider and where it ends; never the personal address.
    public var description: String {
        "ExternalAccountAuthorization(provider \(providerID), redirects to \(RedirectMatcher(finalRedirectURL)))"
    }
}
