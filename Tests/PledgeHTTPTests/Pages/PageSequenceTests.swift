import Foundation
import Pledge
import PledgeHTTP
import PledgeSandbox
import PledgeTestSupport
import Testing

@Suite("Pages", .serialized)
struct PageSequenceTests {
    struct Shelf: Decodable, Sendable, Sequence, Equatable {
        var books: [Int]
        var next: String?

        func makeIterator() -> IndexingIterator<[Int]> { books.makeIterator() }
    }

    struct Books: PagedRequest {
        var page = "0"

        var endpoint: Endpoint<Shelf> {
            var query = QueryItems()
            query.add("page", page)
            return Endpoint(.get, "books/", query: query)
        }

        func page(after shelf: Shelf) -> Books? { shelf.next.map { Books(page: $0) } }
    }

    /// A service whose pages form a row, or link where they should not.
    private struct Library {
        let server: SandboxServer
        let client: EndpointClient

        init(_ shelves: [String: String]) throws {
            server = SandboxServer(routes: [
                SandboxRoute("GET /books/") { request in
                    let json = request.queryValue("page").flatMap { shelves[$0] }
                    return json.map { .text($0) } ?? .empty(404)
                }
            ])
            try server.start()
            client = EndpointClient(baseURL: server.baseURL)
        }

        var asked: [String?] { server.requests.map { $0.queryValue("page") } }
    }

    private let three = [
        "0": #"{"books": [1, 2], "next": "1"}"#, "1": #"{"books": [3, 4], "next": "2"}"#, "2": #"{"books": [5]}"#,
    ]

    @Test("Each page is fetched only when it is needed, and none after the last")
    func lazy() async throws {
        let library = try Library(three)
        defer { library.server.stop() }
        var pages = library.client.pages(Books()).makeAsyncIterator()
        #expect(library.asked.isEmpty)

        #expect(try await pages.next()?.books == [1, 2])
        #expect(library.asked == ["0"])
        #expect(try await pages.next()?.books == [3, 4])
        #expect(try await pages.next()?.books == [5])
        #expect(try await pages.next() == nil)
        #expect(try await pages.next() == nil)

        #expect(library.asked == ["0", "1", "2"])
    }

    @Test("All items can be one list, and a limited number of items is fetched from as few pages as possible")
    func items() async throws {
        let library = try Library(three)
        defer { library.server.stop() }
        let pages = library.client.pages(Books())

        #expect(try await pages.items().value == [1, 2, 3, 4, 5])
        #expect(try await pages.items(atMost: 3).value == [1, 2, 3])
        #expect(try await pages.items(atMost: 2).value == [1, 2])
        #expect(try await pages.items(atMost: 0).value.isEmpty)
        #expect(library.asked == ["0", "1", "2", "0", "1", "0"])
    }

    @Test("A page that links to an earlier one is returned, followed by an error instead of an endless loop")
    func circle() async throws {
        let library = try Library([
            "0": #"{"books": [1], "next": "1"}"#, "1": #"{"books": [2], "next": "0"}"#,
        ])
        defer { library.server.stop() }
        var pages = library.client.pages(Books()).makeAsyncIterator()

        #expect(try await [pages.next()?.books, pages.next()?.books] == [[1], [2]])
        await #expect(throws: PagesInACircle.self) { try await pages.next() }
        #expect(try await pages.next() == nil)
        await #expect(throws: PagesInACircle.self) { try await library.client.pages(Books()).items().value }
        #expect(library.asked == ["0", "1", "0", "1"])
    }

    @Test("A sequence ends at a repeated page")
    func repeated() async throws {
        let library = try Library([:])
        defer { library.server.stop() }
        let count = Counter()
        let pages = PageSequence<Books>(Books()) { request in
            let reply = HTTPReply(url: library.server.baseURL, status: 200, body: Data("the same".utf8))
            return .value(Answer(value: Shelf(books: [7], next: "\(count.next())"), reply: reply))
        }

        #expect(try await pages.items().value == [7, 7])
    }

    @Test("A sequence has no more pages after one that failed")
    func failure() async throws {
        let library = try Library(["0": #"{"books": [1], "next": "lost"}"#])
        defer { library.server.stop() }
        var pages = library.client.pages(Books()).makeAsyncIterator()

        #expect(try await pages.next()?.books == [1])
        let error = await thrown(ExchangeError.self) { try await pages.next() }
        #expect(error?.status == 404)
        #expect(try await pages.next() == nil)
        #expect(library.asked == ["0", "lost"])
    }

    @Test("Canceling ends the request in progress, and no other is sent")
    func cancel() async throws {
        let library = try Library(three)
        defer { library.server.stop() }
        let (arrived, seal) = Promise<Void>.pending()
        library.server.script.next(.max, matching: "GET /books/") { request in
            guard request.queryValue("page") == "1" else { return nil }
            seal.fulfill()
            return SandboxResponse.empty(200).delayed(by: 3600)
        }
        let items = library.client.pages(Books()).items()
        try await arrived.value

        items.cancel()

        await #expect(throws: PromiseError.cancelled) { try await items.value }
        #expect(library.asked == ["0", "1"])
    }

    @Test("Whatever the links between pages, a sequence has the pages of a simple model and requests none twice")
    func model() async throws {
        var cases: [(seed: UInt64, links: [Int?])] = []
        Fuzzing.run(cases: 100) { seed, random in
            let count = Int.random(in: 1...8, using: &random)
            cases.append(
                (
                    seed,
                    (0..<count).map { page in
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0: nil
                        case 1: Int.random(in: 0..<count, using: &random)
                        default: page + 1 < count ? page + 1 : nil
                        }
                    }
                ))
        }
        for (seed, links) in cases {
            var (expected, page) = ([Int](), Int?.some(0))
            while let shown = page, !expected.contains(shown) {
                expected.append(shown)
                page = links[shown]
            }
            let seen = Recorder<Int>()
            let result = await PageSequence<Books>(Books()) { request in
                let page = Int(request.page) ?? 0
                seen.append(page)
                guard let url = URL(string: "https://library.example/"), page < links.count else {
                    return Promise(error: Fault.one)
                }
                let shelf = Shelf(books: [page], next: links[page].map(String.init))
                return .value(
                    Answer(value: shelf, reply: HTTPReply(url: url, status: 200, body: Data("\(page)".utf8))))
            }.items().settled().value

            #expect(seen.all == expected, "seed \(seed)")
            if page == nil {
                #expect(try result.get() == expected, "seed \(seed)")
            } else {
                #expect(throws: PagesInACircle.self, "seed \(seed)") { try result.get() }
            }
        }
    }
}
