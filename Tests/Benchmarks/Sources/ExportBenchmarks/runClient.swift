import ExistKit
import Foundation

/// The export's five calls of each account with nothing around them but the client.
func runClient(accounts: Int, inFlight: Int) throws {
    guard let text = ProcessInfo.processInfo.environment["EXIST_BASE_URL"], let root = URL(string: text) else { return }
    let baseURL = root.appendingPathComponent("api/2", isDirectory: true)
    let transport = makeTransport(inFlight)
    let readsModels = CommandLine.arguments.contains("--models")
    let sizes = try when(fulfilled: 1...accounts, concurrently: inFlight) { number -> Promise<Int> in
        let client = EndpointClient(baseURL: baseURL, transport: transport, authorizer: .bearer("exist-\(number)"))
        return calls(readsModels).reduce(Promise.value(0)) { before, endpoint in
            before.then(on: .pledge) { _ in client.send(endpoint).map(on: .pledge) { $0.value } }
        }
    }.wait()
    precondition(sizes.count == accounts)
}

/// As `pledge --transport` has them.
private func makeTransport(_ inFlight: Int) -> any HTTPTransport {
    URLSessionTransport(connectionsPerHost: inFlight)
}

private func calls(_ readsModels: Bool) -> [Endpoint<Int>] {
    func call<Model: Decodable>(_ path: String, _ items: [(String, String)] = [], _ model: Model.Type) -> Endpoint<Int>
    {
        var query = QueryItems()
        for (name, value) in items { query.add(name, value) }
        return Endpoint(.get, path, query: query) { reply in
            if readsModels { _ = try decoder.decode(model, from: reply.body) }
            return reply.body.count
        }
    }
    let page = [("page", "1"), ("limit", "100")]
    return [
        call("accounts/profile/", User.self),
        call("attributes/with-values/", page + [("days", "7")], ExistPage<ExistKit.Attribute>.self),
        call("averages/", page, ExistPage<Average>.self),
        call("correlations/", page + [("strong", "1")], ExistPage<Correlation>.self),
        call(
            "insights/", page + [("date_min", ExistDay(Date()).advanced(by: -6).description)], ExistPage<Insight>.self),
    ]
}

private let decoder = JSONDecoder()
