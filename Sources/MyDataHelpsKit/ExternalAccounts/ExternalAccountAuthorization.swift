import Foundation
import PledgeCoding
import PledgeHTTP

/// An authorization that the participant completes in a browser to connect to a provider.
///
/// Open ``authorizationURL`` in a browser (`SFSafariViewController`, not a web view), and close it when
/// ``isFinalRedirect(_:)`` returns true for a URL that opens the app. The participant may also give up; only
/// `listExternalAccounts()` shows whether the account was connected.
public struct ExternalAccountAuthorization: Sendable, Equatable {
    /// The identifier of the provider to connect to.
    public var providerID: ExternalAccountProvider.ID
    /// The provider, if the caller passed it rather than its identifier.
    public var provider: ExternalAccountProvider?
    /// The URL of the sign-in page: `https`, or `http` on this machine. It is personal, short-lived and valid once:
    /// keep it out of logs.
    public var authorizationURL: URL
    /// The URL to which the browser finally redirects.
    public var finalRedirectURL: URL

    /// Creates an authorization for use in tests and previews.
    public init(
        providerID: ExternalAccountProvider.ID, provider: ExternalAccountProvider? = nil, authorizationURL: URL,
        finalRedirectURL: URL
    ) {
        self.providerID = providerID
        self.provider = provider
        self.authorizationURL = authorizationURL
        self.finalRedirectURL = finalRedirectURL
    }

    /// Returns whether a URL that opened the app is the final redirect: its scheme, host, port and path match. The
    /// service may add to the query and fragment.
    public func isFinalRedirect(_ url: URL) -> Bool {
        url.redirectTarget.map { $0 == finalRedirectURL.redirectTarget } ?? false
    }
}

extension ExternalAccountAuthorization: Redacted {
    /// A description with the provider and the final redirect, never the personal URL.
    public var description: String {
        "ExternalAccountAuthorization(provider \(providerID), redirects to \(finalRedirectURL.redirectTarget ?? "an invalid URL"))"
    }
}
