// swift-format-ignore-file
import ExistKit
import Foundation

// Code that the articles show as parts of programs. It is compiled but never called, because it would wait for a minute or
// send requests to the real service. `ArticleTests` compares each part with this file, word for word.

/// Allows statements whose results are not used, as in an article.
@resultBuilder private enum Statements {
    static func buildBlock(_ results: Any...) -> [Any] { results }
}

// MARK: Pledge

private struct Response: Sendable {
    var name = ""
    var items: [Int] = []
}

private func fetch(_ anything: String = "") -> Promise<Response> { .value(Response()) }
@Sendable private func enrich(_ item: Int) -> Promise<Int> { .value(item) }
@Sendable private func parse(_ response: Response) -> Int { response.items.count }
@Sendable private func show(_ count: Int) {}
@Sendable private func decode(_ response: Response) throws -> Int { response.items.count }
@Sendable private func load() async throws -> Response { Response() }
private func start(_ done: @escaping @Sendable (Result<Int, any Error>) -> Void) -> Task<Void, Never> {
    Task { done(.success(1)) }
}

private func overview(account: String) {
    firstly {
        fetch(account)
    }.map { response in
        response.items
    }.thenMap { item in
        enrich(item)
    }.done { items in
        print(items.count)
    }.catch { error in
        print(error)
    }
}

private func cancellation(query: String) -> [Promise<Void>] {
    let search = fetch(query).map(parse).done(show)
    search.cancel()        // the request ends, nothing is parsed or shown
    return [search]
}

private func source() -> Promise<Int> {
    Promise { seal in
        let task = start { result in seal.resolve(result) }
        seal.onCancel { task.cancel() }
    }
}

private func bridges() async throws -> (String, Promise<Response>) {
    let name = try await fetch().map(\.name).value
    let promise = Promise { try await load() }
    return (name, promise)
}

private func both(_ existAPI: ExistAPI) async throws {
    let both = when(fulfilled: existAPI.user(), existAPI.averages())
    // … and meanwhile something else
    let (user, averages) = try await both.value
    print(user.user.username, averages.averages.count)
}

@MainActor private final class Screen {
    var label = (text: "", number: 0)
    var title = ""

    @Statements func queues() -> [Any] {
        fetch().map(on: .global()) { data in try decode(data) }            // long work has a queue of its own
        fetch().onMain.done { self.label.text = $0.name }                  // in a class of the main actor
        fetch().done(on: .main) { print($0) }                              // anywhere
        PromiseConfiguration.shared.queues = (map: .main, return: .main)   // for all that name no queue, once at launch
    }

    func greet(_ existAPI: ExistAPI) {
        existAPI.user().onMain.done { user, _ in
            self.title = user.firstName
        }.cauterize()
    }

    private func load() -> Promise<String> { .value(title) }
    private func upload(_ name: String) -> Promise<String> { .value(name + title) }
    private var isLoading = false

    @Statements func later(_ names: [String], _ seal: Resolver<String>) -> [Any] {
        retry(attempts: 3) { onMain { self.load() } }
        when(fulfilled: names, concurrently: 2) { name in onMain { self.upload(name) } }
        seal.onCancel { onMain { self.isLoading = false } }
    }
}

private func troubleshooting(_ existAPI: ExistAPI, _ updates: [any AttributeUpdate]) {
    existAPI.acquire(names: ["mood"]).then { acquired, _ -> Promise<ExistAPI.UpdateOutput> in
        print(acquired.success.count)
        return existAPI.update(attributes: updates)
    }.done { updated, _ in
        print(updated.success.count)
    }.cauterize()
}

private func waiting(_ existAPI: ExistAPI) {
    Promise {
        for try await page in existAPI.pages(.values(of: "steps", limit: 50)) { print(page.results.count) }
    }.waitOrExit()
}

private func polling(_ existAPI: ExistAPI) {
    @Sendable func poll() {
        existAPI.user().done { user, _ in
            print(user.username)
        }.catch { error in
            print(error)
        }.finally {
            after(seconds: 60).done { poll() }
        }
    }
    poll()
}

// MARK: PledgeHTTP

@Statements private func transports(_ proxy: URL) -> [Any] {
    StandardTransport(.urlSession)                  // by hand
    StandardTransport(requestsInFlight: 64)         // more at a time than eight
    StandardTransport(trustedCertificates: URL(fileURLWithPath: "/etc/company/ca.pem"))
    StandardTransport(trustedCertificates: nil)                            // whatever the environment says
    StandardTransport(proxy: .none)                                       // whatever the environment says
    StandardTransport(proxy: ProxyRule(proxy))                             // such as http://proxy:3128
}

// MARK: ExistKit

private func signingIn(_ oauth: ExistOAuth, _ redirect: URL, open: (URL) -> Void) async throws -> ExistToken {
    let signIn = try oauth.signIn(scopes: [.read("mood"), .write("mood")])
    open(signIn.address)
    let token = try await oauth.token(for: signIn.code(from: redirect)).value
    return token
}

private struct Vault: Sendable {
    func save(_ token: ExistToken) -> Promise<Void> { Promise() }
}

private func renewing(_ stored: ExistToken, _ oauth: ExistOAuth, _ vault: Vault) -> ExistAPI {
    let source = ExistTokenSource(stored, oauth: oauth) { fresh in
        vault.save(fresh)
    }
    let existAPI = ExistAPI(source: source)
    return existAPI
}

private func sharing(_ file: URL, _ oauth: ExistOAuth) -> ExistTokenSource {
    let source = ExistTokenSource(in: OAuth2TokenFile(file, for: ExistAPI.serviceURL), renewing: oauth.refresh)
    return source
}
