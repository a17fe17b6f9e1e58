import ExistKit
import Foundation

/// Sends the requests of an export, or of a nightly sync, for each account with the bare client.
func runClient(accounts: Int, inFlight: Int, isNight: Bool) throws {
    guard let text = ProcessInfo.processInfo.environment["EXIST_BASE_URL"], let root = URL(string: text) else { return }
    let baseURL = root.appendingPathComponent("api/2", isDirectory: true)
    // The names are those of `PLEDGE_TRANSPORT`.
    let transport = StandardTransport(
        option("--transport").flatMap(StandardTransport.Kind.init) ?? .default, requestsInFlight: inFlight)
    let last = ExistDay(Date(), in: TimeZone(secondsFromGMT: 0) ?? .current)
    let ends: [Void] = try when(fulfilled: 1...accounts, concurrently: inFlight) { number -> Promise<Void> in
        let client = EndpointClient(
            baseURL: baseURL, authorizer: .bearer("exist-\(number)"),
            options: EndpointClient.Options().with { $0.transport = transport })
        @Sendable func read<Item>(_ query: ExistQuery<Item>) -> Promise<Void> {
            client.pages(query).items().map(on: nil) { _ in }
        }
        func user() -> Promise<Void> {
            client.send(Endpoint<User>(.get, "accounts/profile/")).map(on: nil) { _ in }
        }
        func week() -> Promise<Void> {
            user().then(on: nil) { read(.attributesWithValues(days: 7, through: last)) }
                .then(on: nil) { read(.averages()) }
                .then(on: nil) { read(.correlations()) }
                .then(on: nil) { read(.insights(from: last.advanced(by: -6), through: last)) }
        }
        func night() -> Promise<Void> {
            let all = ExistQuery<Attribute>.attributes(includeInactive: true, includeLowPriority: true)
            let attributes = user().then(on: nil) { client.pages(all).items() }
            let values = attributes.then(on: nil) { attributes -> Promise<Void> in
                // The values of the other attributes come in one request.
                let alone = attributes.filter { $0.active == true && $0.priority >= 10 }.map(\.name)
                return alone.reduce(read(.attributesWithValues(days: 15, through: last))) { before, name in
                    before.then(on: nil) { read(.values(of: name)) }
                }
            }
            return values.then(on: nil) { read(.averages()) }
                .then(on: nil) { read(.correlations(strong: true)) }
                .then(on: nil) { read(.insights(from: last.advanced(by: -16))) }
        }
        return isNight ? night() : week()
    }.wait()
    precondition(ends.count == accounts)
}
