import ExistKit
import PledgeHTTP

extension Access {
    /// Returns advice about a rejected request that names commands, unlike the kits' advice for programmers.
    func advice(_ service: Service, isPasted: Bool = false) -> @Sendable (ExchangeError) -> String? {
        let isFromEnvironment = environment[service.tokenName] != nil
        let login = login(service)
        return { error in
            if case .limited = error.reason { return "Try again then." }
            return switch (error.kind, service) {
            case (.unauthorized, _) where isPasted:
                "Check that the whole token was pasted." + (service == .exist ? "" : " It ends after a few hours.")
            case (.unauthorized, _) where error.response?.headers.isHTML == true,
                (.forbidden, _) where error.response?.headers.isHTML == true:
                "A web page came instead of the service's response, perhaps from a firewall or a proxy: open "
                    + "\(service.defaultAddress) in a browser, or try another network."
            case (.unauthorized, .exist) where isFromEnvironment:
                "Check EXIST_TOKEN: it may have expired. A token created with a password needs EXIST_TOKEN_KIND=simple."
            case (.unauthorized, .mydatahelps) where isFromEnvironment:
                "Set MYDATAHELPS_TOKEN to a new token: tokens expire after a few hours."
            case (.unauthorized, _): "Sign in again with “\(login)”."
            case (.forbidden, _) where isFromEnvironment:
                "Set \(service.tokenName) to a token that has this permission."
            case (.forbidden, _): "Sign in with “\(login)”, with a token that has this permission."
            case (.rateLimited, .exist) where error.retryAfter == nil:
                "Wait up to an hour: \(ExistAPI.limitText)."
            default: Settings.advice(error)
            }
        }
    }

    /// Returns the command that signs in to the service under the current profile.
    func login(_ service: Service) -> String {
        let profile = (try? profileName) ?? "default"
        return "pledge login" + (service == .exist ? "" : " --mydatahelps")
            + (profile == "default" ? "" : " --profile \(profile)")
    }
}
