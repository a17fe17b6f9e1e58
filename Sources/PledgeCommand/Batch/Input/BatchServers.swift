import Foundation
import PledgeHTTP

/// The server of each service in a batch. A token is sent only to its own server, and a batch uses one server per
/// service, so that its results never mix data of two, such as the sandbox's and a person's.
struct BatchServers: Sendable {
    typealias Service = AccountID.Service

    /// The base URLs from the environment.
    private let given: [Service: URL]
    /// The base URLs so far, and the source of each, such as `EXIST_BASE_URL` or `line 1`.
    private var known: [Service: (address: URL, source: String)] = [:]

    init(_ environment: [String: String]) throws(UsageError) {
        var given: [Service: URL] = [:]
        for service in Service.allCases { given[service] = try service.givenAddress(environment) }
        self.given = given
        for (service, address) in given { known[service] = (address, service.addressName) }
    }

    /// Returns the base URL for an account; `own` is that of its line.
    func address(of service: Service, own: URL?) -> URL { own ?? given[service] ?? service.defaultAddress }

    /// Records the server of an account, or throws if earlier accounts of the service use another.
    ///
    /// - Parameters:
    ///   - own: The base URL in the account's line, if any.
    ///   - source: The name of that line or file, for the error.
    mutating func take(_ service: Service, own: URL?, from source: @autoclosure () -> String) throws(UsageError) {
        let address = address(of: service, own: own)
        guard let before = known[service] else {
            known[service] = (address, source())
            return
        }
        guard before.address != address else { return }
        let isGiven = before.source == service.addressName
        throw UsageError(
            "For \(service.title), \(before.source) has the server \(before.address.redacted), but \(source()) has "
                + "\(address.redacted)\(own == nil ? ", because it names none" : ""). A token is sent only to its own "
                + "server, and a run uses one for each service: "
                + (isGiven ? "unset \(service.addressName), or omit these accounts." : "use a separate file for each."))
    }
}
