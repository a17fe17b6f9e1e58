import ExistKit
import PledgeHTTP
import PledgeHistory

/// Advice on what to do after a failed request. It names this tool's commands, options, and variables. The advice in
/// ExistKit and MyDataHelpsKit is written for programmers instead.
enum Advice {
    static let longerWait = "Try again then, or allow a longer wait with --wait."

    /// Returns the advice for an error. Returns nil if the advice of ExistKit or MyDataHelpsKit is enough, or if the
    /// error's reason already says what to do.
    static func about(_ error: ExchangeError, of service: History.Service, token: Credential.Origin) -> String? {
        switch (error.reason, token) {
        case (.overBudget(let exceeded), _):
            "Request less, or allow more with \(Settings.name(of: exceeded.limit))."
        case (.limited, .line): "Allow more with --wait, or repeat this account in another run."
        case (.limited, _): "Try again then."
        // The error's reason already says why the token could not be renewed.
        case (.credential, .line): nil
        default: about(error.kind, error, of: service, token)
        }
    }

    private static func about(
        _ kind: FailureKind, _ error: ExchangeError, of service: History.Service, _ token: Credential.Origin
    ) -> String? {
        switch (kind, service, token) {
        case (.unauthorized, .exist, .pasted): "Check that the whole token was pasted."
        case (.unauthorized, .mydatahelps, .pasted):
            "Check that the whole token was pasted. Tokens expire after a few hours."
        case (.unauthorized, _, _) where error.isWebPage, (.forbidden, _, _) where error.isWebPage:
            "A web page came instead of the service's response, perhaps from a firewall or a proxy: open "
                + "\(service.defaultAddress) in a browser, or try another network."
        case (.unauthorized, .exist, .variable(let name)):
            "Check \(name): it may have expired. A token created with a password needs EXIST_TOKEN_KIND=simple."
        case (.unauthorized, .mydatahelps, .variable(let name)):
            "Set \(name) to a new token: tokens expire after a few hours."
        case (.unauthorized, _, .profile(let login)): "Sign in again with “\(login)”."
        case (.unauthorized, .exist, .line(.simple)):
            #"Check the token: only a token created with a password has "kind":"simple" beside it."#
        case (.unauthorized, .exist, .line):
            #"Check the token: it may have expired. A token created with a password needs "kind":"simple" beside it."#
        case (.unauthorized, .mydatahelps, .line):
            "Its token has expired or was revoked, and there was no newer token. Such tokens expire after a few hours."
        case (.unauthorized, _, .serviceAccount(let name)):
            "Check the name “\(name)”, and whether the key is the one that the service has for it."
        case (.forbidden, _, .pasted): "Paste a token that has this permission."
        case (.forbidden, _, .variable(let name)): "Set \(name) to a token that has this permission."
        case (.forbidden, _, .profile(let login)): "Sign in with “\(login)”, using a token that has this permission."
        case (.forbidden, _, .serviceAccount(let name)):
            "Check the identifier of the project, and whether “\(name)” has access to the project."
        case (.rateLimited, .exist, .line): "\(ExistAPI.limitText), across all clients."
        case (.rateLimited, .exist, _) where error.retryAfter == nil: "Wait up to an hour: \(ExistAPI.limitText)."
        default: nil
        }
    }
}

extension ExchangeError {
    /// Whether the response is a web page, such as a firewall's, and so doesn't come from the service.
    fileprivate var isWebPage: Bool { response?.headers.isHTML == true }
}
