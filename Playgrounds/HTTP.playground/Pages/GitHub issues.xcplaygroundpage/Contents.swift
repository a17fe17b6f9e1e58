//: # GitHub's issues
//: This page shows a client for lists in which a `Link` header names the next page. When GitHub refuses a request, the
//: client throws an error of a type that this page declares.
import Foundation
import PledgeHTTP

nonisolated struct Issue: Decodable, Sendable {
    var number: Int
    var title: String
    var updatedAt: Date
}

nonisolated struct IssuePage: PagedRequest {
    var endpoint: Endpoint<[Issue]>
    func page(after page: Decoded<[Issue]>) -> IssuePage? {
        page.response.link("next").map { IssuePage(endpoint: Endpoint(.get, $0)) }
    }
}

nonisolated struct GitHubError: Decodable, Error {
    struct Problem: Decodable {
        var field: String
        var code: String
    }

    var message: String
    var errors: [Problem]
}

nonisolated struct GitHub: Sendable {
    let client: EndpointClient

    init(at address: URL, token: String) {
        let options = EndpointClient.Options().with { ($0.json, $0.limiter) = (.snakeCase, RateLimiter(limit: 5_000)) }
        client = EndpointClient(baseURL: address, authorizer: .bearer(token), options: options)
    }

    func issues(of repository: String) -> PageSequence<IssuePage> {
        let first = Endpoint<[Issue]>(.get, "repos/\(repository)/issues", query: ["state": "open", "per_page": 100])
        return client.pages(IssuePage(endpoint: first))
    }

    func open(_ title: String, in repository: String) -> Promise<Issue> {
        client.value(of: Endpoint(.post, "repos/\(repository)/issues", body: .json(["title": title]))).mapError {
            (try? ($0 as? ExchangeError)?.response?.json(GitHubError.self, by: .snakeCase)) ?? $0
        }
    }
}

//: This server stands in for GitHub. It has three pages of issues.
import PledgeSandbox

let server = LoopbackServer(routes: [
    ServerRoute("GET /repos/apple/swift/issues") { request in
        let page = Int(request.queryValue("page") ?? "1") ?? 1
        let next = "</repos/apple/swift/issues?per_page=100&page=\(page + 1)>; rel=\"next\""
        let issue: ServerJSON = ["number": .integer(page), "title": "A bug", "updated_at": "2024-03-02T09:11:12Z"]
        return .json([issue, issue], headers: page < 3 ? ["Link": next] : [:])
    },
    ServerRoute("POST /repos/apple/swift/issues") { _ in
        .json(["message": "Invalid", "errors": [["field": "title", "code": "missing_field"]]], status: 422)
    },
])
try server.start()
let gitHub = GitHub(at: server.baseURL, token: "t0k3n")

//: The client gets all pages as one list. At first, the rate limit is used up, so the client waits until GitHub resets
//: it.
server.script.next(respond: .empty(403, headers: ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"]))
let issues = gitHub.issues(of: "apple/swift").items().waitOrExit()
print(issues.count, "issues, the last is", issues.last?.number ?? 0)
precondition(server.requests.last?.target == "/repos/apple/swift/issues?per_page=100&page=3")

//: The list is canceled while the second page is being requested. The list then ends, and the third page is never
//: requested.
let (isAsked, seal) = Promise<Void>.pending()
server.script.next(2) { request in
    guard request.queryValue("page") == "2" else { return nil }
    seal.fulfill()
    return .silence
}
let canceled = gitHub.issues(of: "apple/swift").items()
isAsked.done { [canceled] in canceled.cancel() }.cauterize()
canceled.asVoid().catch(policy: .allErrors) { print($0) }.waitOrExit()
precondition(server.requests.count == 6)

//: GitHub's own error says which field GitHub refused.
gitHub.open("", in: "apple/swift").asVoid().catch(only: GitHubError.self) { error in
    print(error.message, error.errors.map { "\($0.field): \($0.code)" })
}.waitOrExit()
server.stop()
