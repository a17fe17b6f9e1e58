//: # Wrap an API
//: This page shows a client for any service in 25 lines. It is built with the same tools as the kits of this package.
//: The article “Wrap an API of your own” of `PledgeHTTP` explains it step by step.
import Foundation
import PledgeHTTP

nonisolated struct Book: Codable, Sendable, Equatable {
    var title: String
    var author: String
    var firstPrinted: Date
}

nonisolated struct Library: Sendable {
    let client: EndpointClient

    init(at address: URL, _ authorizer: Authorizer) {
        let options = EndpointClient.Options().with { $0.json = .snakeCase }
        client = EndpointClient(baseURL: address, authorizer: authorizer, options: options)
    }

    func books(by author: String) -> Promise<[Book]> {
        client.value(of: Endpoint(.get, "books", query: ["author": author]))
    }

    func add(_ book: Book) -> Promise<Book> {
        client.value(of: Endpoint(.post, "books", body: .json(book)))
    }
}

//: The first of these calls accepts a response without content. The second one reads its response with a closure.
extension Library {
    func description(of title: String) -> Promise<String?> {
        client.value(of: Endpoint(.get, "description", query: ["title": title]))
    }

    func count() -> Promise<Int> {
        client.value(of: Endpoint(.head, "books") { response, _ in Int(response.headers["X-Count"] ?? "") ?? 0 })
    }
}

//: These calls use other methods, a header for a single request, raw bytes as a body, and a form with files.
extension Library {
    func correct(title: String, to newTitle: String, ifStill version: String) -> Promise<Book> {
        client.value(
            of: Endpoint(
                .patch, "books", query: ["title": title], headers: ["If-Match": version],
                body: .json(["title": newTitle])))
    }

    func setCover(_ picture: Data, of title: String) -> Promise<Void> {
        client.value(
            of: Endpoint(.put, "cover", query: ["title": title], body: .data(picture, type: "image/png")))
    }

    func offer(_ note: String, scan: Data) -> Promise<Void> {
        let parts: [EndpointBody.Part] = [
            .text("note", note), .file("scan", filename: "scan.png", type: "image/png", scan),
        ]
        return client.value(of: Endpoint(.post, "offers", body: .multipart(parts)))
    }
}

//: These calls write a response to a file, and send a body from a file.
extension Library {
    func download(_ title: String, to file: URL) -> Promise<Void> {
        var endpoint = Endpoint<Void>(.get, "scans", query: ["title": title])
        endpoint.timeout = 600
        return client.download(endpoint, to: file) { progress in
            print(progress.bytesReceived, "bytes of", progress.bytesToReceive ?? 0)
        }.asVoid()
    }

    func upload(_ scan: URL, of title: String) -> Promise<Void> {
        let body = EndpointBody.file(scan, type: "application/pdf")
        return client.value(of: Endpoint(.put, "scans", query: ["title": title], body: body))
    }
}

//: The closure `adapt` adds a signature to each request. If a request is sent again, the closure is called again.
extension EndpointClient.Options {
    func signed(by signature: @escaping @Sendable (OutgoingRequest) throws -> String) -> EndpointClient.Options {
        with { options in
            options.adapt = { request in request.headers["X-Signature"] = try signature(request) }
        }
    }
}

//: If a service sends a list in pages, declare a type of request that can create the request for the next page.
nonisolated struct Shelf: Decodable, Sendable, Sequence {
    var books: [Book]
    var isLast: Bool

    func makeIterator() -> IndexingIterator<[Book]> { books.makeIterator() }
}

nonisolated struct Shelves: PagedRequest {
    var number = 1

    var endpoint: Endpoint<Shelf> { Endpoint(.get, "shelves", query: ["number": number]) }

    func page(after shelf: Decoded<Shelf>) -> Shelves? { shelf.value.isLast ? nil : Shelves(number: number + 1) }
}

extension Library {
    func allBooks() -> Promise<[Book]> { client.pages(Shelves()).items() }
}

//: Here, a header of the response names the next page.
nonisolated struct LoanPage: PagedRequest {
    var endpoint = Endpoint<[String]>(.get, "loans", query: ["per_page": 50])

    func page(after page: Decoded<[String]>) -> LoanPage? {
        page.response.link("next").map { LoanPage(endpoint: Endpoint(.get, $0)) }
    }
}

//: A token source provides the token before each request. It gets a new token when the old one is about to expire, or
//: when the service has rejected it.
extension OAuth2TokenSource {
    /// The tokens of a reader, in a file that all programs on this machine share.
    static func library(at address: URL, secret: String, file: URL) -> OAuth2TokenSource {
        let app = OAuth2Client(
            tokenURL: address.appendingPathComponent("token"), clientID: "reader", clientSecret: secret)
        return OAuth2TokenSource(in: OAuth2TokenFile(file, for: address), renewing: app.refresh)
    }
}

//: These options find the service's own message in the response to a failed request, and say what to do about the
//: error.
nonisolated struct Refusal: Decodable {
    struct Problem: Decodable {
        var text: String
    }

    var problem: Problem
}

extension EndpointClient.Options {
    static var library: EndpointClient.Options {
        var options = EndpointClient.Options()
        options.json = .snakeCase
        options.findMessage = { response in try? response.json(Refusal.self).problem.text }
        options.advise = { error in error.status == 422 ? "Correct the book, and add it again." : nil }
        return options
    }
}

//: This server stands in for the service, so that the page has a server to talk to. It has one book. It accepts a
//: single token, which it issues itself.
import PledgeSandbox

let shelf: ServerJSON = [
    "title": "The Dispossessed", "author": "Ursula K. Le Guin", "first_printed": "1974-05-01T00:00:00Z",
]
let server = LoopbackServer(routes: [
    ServerRoute("POST /token") { _ in .json(["access_token": "fresh", "refresh_token": "r2"]) },
    ServerRoute("GET /books") { _ in .json([shelf], headers: ["X-Count": "1"]) },
    ServerRoute("GET /description") { _ in .empty(204) },
    ServerRoute("GET /loans") { request in
        let next: ServerHeaders = request.queryValue("page") == nil ? ["Link": "</loans?page=2>; rel=\"next\""] : [:]
        return .json(["The Dispossessed"], headers: next)
    },
    ServerRoute("PATCH /books") { _ in .json(shelf) },
    ServerRoute("POST /books") { request in
        let book = ServerJSON(request.body) ?? [:]
        return book.object?["title"] == ""
            ? .json(["problem": ["text": "There is no title."]], status: 422) : .json(book)
    },
    ServerRoute("PUT /cover") { _ in .empty(204) },
    ServerRoute("POST /offers") { _ in .empty(204) },
    ServerRoute("GET /scans") { _ in .text("A scan.") },
    ServerRoute("PUT /scans") { _ in .empty(204) },
    ServerRoute("GET /shelves") { request in
        let number = request.queryValue("number") ?? "1"
        return .json(["books": [shelf, shelf], "number": .string(number), "is_last": .bool(number == "3")])
    },
])
try server.start()
server.script.next(.max) { request in
    request.path == "/token" || request.headers["Authorization"] == "Bearer fresh" ? nil : .empty(401)
}

//: The service rejects the old token. The calls still succeed, because the token source gets a new token.
let file = FileManager.default.temporaryDirectory.appendingPathComponent("tokens-\(UUID()).json")
OAuth2TokenFile(file).save(OAuth2Token(accessToken: "stale", refreshToken: "r1")).waitOrExit()
let tokens = OAuth2TokenSource.library(at: server.baseURL, secret: "s3cr3t", file: file)
let library = Library(at: server.baseURL, .source(tokens))
let november1968 = Date(timeIntervalSince1970: -36_720_000)

let earthsea = Book(title: "A Wizard of Earthsea", author: "Ursula K. Le Guin", firstPrinted: november1968)
library.books(by: earthsea.author).then { books in
    books.contains(earthsea) ? .value(earthsea) : library.add(earthsea)
}.done { book in
    print(book.title, "is there")
}.waitOrExit()
print(library.allBooks().waitOrExit().count, "books on all shelves")
print(library.client.pages(LoanPage()).items().waitOrExit().count, "loans")
print(
    library.count().waitOrExit(), "book,", library.description(of: "The Dispossessed").waitOrExit() ?? "not described")
print(library.correct(title: "The Disposessed", to: "The Dispossessed", ifStill: "7").waitOrExit().title)
library.setCover(Data([137, 80, 78, 71]), of: "The Dispossessed").waitOrExit()
library.offer("A first edition", scan: Data([137, 80, 78, 71])).waitOrExit()
let scan = FileManager.default.temporaryDirectory.appendingPathComponent("scan-\(UUID()).pdf")
library.download("The Dispossessed", to: scan).waitOrExit()
library.upload(scan, of: "The Dispossessed").waitOrExit()
try FileManager.default.removeItem(at: scan)

//: This error has the service's own message, and the advice that the client adds.
let options = EndpointClient.Options.library.signed { request in "\(request.body?.count ?? 0) bytes" }
let strict = EndpointClient(baseURL: server.baseURL, authorizer: .source(tokens), options: options)
let untitled = Book(title: "", author: "", firstPrinted: november1968)
strict.value(of: Endpoint<Book>(.post, "books", body: .json(untitled))).asVoid().catch { print($0) }.waitOrExit()
server.stop()
try FileManager.default.removeItem(at: file)
