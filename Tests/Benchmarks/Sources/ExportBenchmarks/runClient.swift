import ExistKit
import Foundation

/// The export's five calls of each account with nothing around them but the client.
func runClient(accounts: Int, inFlight: Int) throws {
    guard let text = ProcessInfo.processInfo.environment["EXIST_BASE_URL"], let root = URL(string: text) else { return }
    let baseURL = root.appendingPathComponent("api/2", isDirectory: true)
    let transport = makeTransport(inFlight)
    let calls = calls(readingModels: CommandLine.arguments.contains("--models"))
    let ends: [Void] = try when(fulfilled: 1...accounts, concurrently: inFlight) { number -> Promise<Void> in
        let client = EndpointClient(
            baseURL: baseURL, authorizer: .bearer("exist-\(number)"),
            options: EndpointClient.Options().with { $0.transport = transport })
        return calls.reduce(Promise()) { before, call in
            before.then(on: .pledge) { _ in call(client) }
        }
    }.wait()
    precondition(ends.count == accounts)
}

/// As `pledge --transport` has them.
private func makeTransport(_ inFlight: Int) -> any HTTPTransport {
    let arguments = CommandLine.arguments
    let name = arguments.firstIndex(of: "--transport").map { arguments[$0 + 1] } ?? ""
    return StandardTransport(StandardTransport.Kind(rawValue: name) ?? .usual, requestsInFlight: inFlight)
}

private typealias Call = @Sendable (EndpointClient) -> Promise<Void>

private func calls(readingModels: Bool) -> [Call] {
    func call<Model: Decodable & Sendable>(_ path: String, _ items: [(String, String)], as model: Model.Type) -> Call {
        var query = QueryItems()
        for (name, value) in items { query.add(name, value) }
        let (typed, bytes) = (
            Endpoint<Model>(.get, path, query: query), Endpoint<Int>(.get, path, query: query) { $0.body.count }
        )
        if readingModels { return { client in client.send(typed).map(on: .pledge) { _ in } } }
        return { client in client.send(bytes).map(on: .pledge) { _ in } }
    }
    let page = [("page", "1"), ("limit", "100")]
    let first = ExistDay(Date()).advanced(by: -6).description
    return [
        call("accounts/profile/", [], as: User.self),
        call("attributes/with-values/", page + [("days", "7")], as: ExistPage<ExistKit.Attribute>.self),
        call("averages/", page, as: ExistPage<Average>.self),
        call("correlations/", page, as: ExistPage<Correlation>.self),
        call("insights/", page + [("date_min", first)], as: ExistPage<Insight>.self),
    ]
}
