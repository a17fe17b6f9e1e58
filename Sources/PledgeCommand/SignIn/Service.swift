import ExistKit
import Foundation
import MyDataHelpsKit
import PledgeHistory

extension History.Service {
    var tokenName: String { self == .exist ? "EXIST_TOKEN" : "MYDATAHELPS_TOKEN" }
    var addressName: String { self == .exist ? "EXIST_BASE_URL" : "MYDATAHELPS_BASE_URL" }
    var defaultAddress: URL { self == .exist ? ExistAPI.serviceURL : MyDataHelpsClient.serviceURL }
    /// The page that contains a token or explains how to get one.
    var tokenPage: String {
        self == .exist ? "https://exist.io/account/apps/" : "https://developer.mydatahelps.org/"
    }
    /// The origin of a token, as a sentence.
    var tokenOrigin: String {
        switch self {
        case .exist:
            "To get a token, open \(tokenPage), add a client, and copy the personal token from its page."
        case .mydatahelps:
            "A participant's token comes from the server of the project, for a few hours: \(tokenPage) explains how."
        }
    }
    var title: String { self == .exist ? "Exist" : "MyDataHelps" }

    func address(_ environment: [String: String]) throws(UsageError) -> URL {
        try givenAddress(environment) ?? defaultAddress
    }

    /// Returns the address that the environment specifies, if any.
    func givenAddress(_ environment: [String: String]) throws(UsageError) -> URL? {
        let text = environment[addressName, default: ""]
        return text.isEmpty ? nil : try address(text, from: addressName, environment)
    }

    /// Returns the address in a text, with a slash at its end, if the token may be sent there; errors contain `name`
    /// instead of the text.
    func address(
        _ text: String, from name: String, _ environment: [String: String]
    ) throws(UsageError) -> URL {
        guard let address = URL(string: text), ["http", "https"].contains(address.scheme), address.host != nil
        else {
            throw UsageError("\(name) is not a URL such as \(defaultAddress).")
        }
        guard address.user == nil, address.password == nil else {
            throw UsageError("\(name) contains a user name: remove it, since the token identifies the user.")
        }
        guard address.mayCarrySecrets(trusting: Settings.plainHTTPHosts(environment)) else {
            throw UsageError(
                "\(name) uses plain http, which would expose the token: use https, or, for a sandbox, name its host in "
                    + "PLEDGE_PLAIN_HTTP_HOSTS.")
        }
        guard !["/api/2", "/api/v1"].contains(where: address.path.hasSuffix) else {
            throw UsageError("\(name) is to be without \(address.path), such as \(defaultAddress).")
        }
        return address.asBase
    }
}
