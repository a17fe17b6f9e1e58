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

    /// A service whose shelves stand in a row, or point where they should not.
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

    @Test("Each page is asked for when it is wanted, and never one too many")
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

    @Test("All items are one list, or as many as are wanted, from no more pages than that takes")
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

    @Test("A page that points back is given out, and then there is an error instead of an endless walk")
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

    @Test("Where the same page comes twice there are no more")
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

    @Test("After a page that fails there are no more")
    func failure() async throws {
        let library = try Library(["0": #"{"books": [1], "next": "lost"}"#])
        defer { library.server.stop() }
        var pages = library.client.pages(Books()).makeAsyncIterator()

        #expect(try await pages.next()?.books == [1])
        let error = await #expect(throws: ExchangeError.self) { try await pages.next() }
        #expect(error?.status == 404)
        #expect(try await pages.next() == nil)
        #expect(library.asked == ["0", "lost"])
    }

    @Test("Cancelling ends the request under way, and sends no other")
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

    @Test("Whatever points where, it gives what a simple model gives, and asks for nothing twice")
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
