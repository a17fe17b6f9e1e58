import ExistKit
import Foundation

/// The export's calls for each account with nothing around them but the client.
func runClient(accounts: Int, inFlight: Int) throws {
    guard let text = ProcessInfo.processInfo.environment["EXIST_BASE_URL"], let root = URL(string: text) else { return }
    let baseURL = root.appendingPathComponent("api/2", isDirectory: true)
    // As `pledge --transport` has them.
    let transport = StandardTransport(
        option("--transport").flatMap(StandardTransport.Kind.init) ?? .usual, requestsInFlight: inFlight)
    let last = ExistDay(Date(), in: TimeZone(secondsFromGMT: 0) ?? .current)
    let ends: [Void] = try when(fulfilled: 1...accounts, concurrently: inFlight) { number -> Promise<Void> in
        let client = EndpointClient(
            baseURL: baseURL, authorizer: .bearer("exist-\(number)"),
            options: EndpointClient.Options().with { $0.transport = transport })
        @Sendable func read<Item>(_ query: ExistQuery<Item>) -> Promise<Void> {
            client.pages(query).items().map(on: nil) { _ in }
        }
        return client.send(Endpoint<User>(.get, "accounts/profile/"))
            .then(on: nil) { _ in read(.attributesWithValues(days: 7, through: last)) }
            .then(on: nil) { read(.averages()) }
            .then(on: nil) { read(.correlations()) }
            .then(on: nil) { read(.insights(from: last.advanced(by: -6), through: last)) }
    }.wait()
    precondition(ends.count == accounts)
}
