import Foundation
import PledgeCoding
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

        var endpoint: Endpoint<Shelf> { Endpoint(.get, "books/", query: ["page": page]) }
        func page(after shelf: Decoded<Shelf>) -> Books? { shelf.value.next.map { Books(page: $0) } }
    }

    /// A service with pages of books. The closure `shelf` returns a page by its name. If it returns nil, the service
    /// answers 404.
    private final class Library: Sendable {
        let server: LoopbackServer
        let client: EndpointClient

        init(
            _ change: (inout EndpointClient.Options) -> Void = { _ in },
            shelf: @escaping @Sendable (_ page: String) -> String?
        ) throws {
            server = LoopbackServer(routes: [
                ServerRoute("GET /books/") { shelf($0.queryValue("page") ?? "").map { .text($0) } ?? .empty(404) }
            ])
            try server.start()
            var options = EndpointClient.Options()
            options.timeout = 600
            change(&options)
            client = EndpointClient(baseURL: server.baseURL, options: options)
        }

        deinit { server.stop() }

        /// The names of the pages that were requested. Requests to other paths don't count: they may come from the
        /// client of an earlier test whose server had the same port.
        var asked: [String?] { server.requests.filter { $0.path == "/books/" }.map { $0.queryValue("page") } }
    }

    private static let three = [
        "0": #"{"books": [1, 2], "next": "1"}"#, "1": #"{"books": [3, 4], "next": "2"}"#, "2": #"{"books": [5]}"#,
    ]

    /// Returns a page with two books and a link to the next page. Every page has a next page, so the list never ends.
    @Sendable private static func endless(_ page: String) -> String {
        #"{"books": [\#(page), 0], "next": "\#((Int(page) ?? 0) + 1)"}"#
    }

    /// Returns a sequence that gets its pages from a closure instead of a service. The closure returns a shelf, and the
    /// bytes of the response that contained it.
    private func pages(_ page: @escaping @Sendable (Int) -> (shelf: Shelf, bytes: String)) -> PageSequence<Books> {
        PageSequence<Books>(Books(), meter: BudgetMeter(.init())) { request, _ in
            let (shelf, bytes) = page(Int(request.page) ?? 0)
            let response = RawResponse(url: URL(fileURLWithPath: "/"), status: 200, body: Data(bytes.utf8))
            return .value(Decoded(value: shelf, response: response))
        }
    }

    @Test("Pages are fetched on demand and not after an error; the error counts the items that were read before it")
    func progress() async throws {
        let library = try Library { $0 == "2" ? nil : Self.three[$0] }
        var pages = library.client.pages(Books()).makeAsyncIterator()
        #expect(library.asked.isEmpty)
        #expect(try await pages.next()?.books == [1, 2])
        #expect(library.asked == ["0"])
        #expect(try await pages.next()?.books == [3, 4])
        let error = await thrown(ExchangeError.self) { try await pages.next() }
        #expect(error?.pagesBefore == 2 && error?.itemsBefore == 4)
        #expect(error?.description.contains("failed (4 items on 2 pages were read before): the service ans") == true)
        for _ in 0..<2 { #expect(try await pages.next() == nil) }
        #expect(library.asked == ["0", "1", "2"])
        // The error of a first page mentions no pages that were read before it.
        let first = await library.client.pages(Books(page: "2")).items().failure() as? ExchangeError
        #expect(first?.pagesBefore == 0 && first?.description.contains("failed: the service answered 404") == true)
    }

    @Test("`items()` returns the items of all pages; `items(atMost:)` requests only as many pages as it needs")
    func items() async throws {
        let library = try Library { Self.three[$0] }
        let pages = library.client.pages(Books())
        #expect(try await pages.items().value == [1, 2, 3, 4, 5])
        #expect(try await pages.items(atMost: 3).value == [1, 2, 3])
        #expect(try await pages.items(atMost: 2).value == [1, 2])
        #expect(try await pages.items(atMost: 1).value == [1])
        #expect(try await pages.items(atMost: 0).value.isEmpty)
        #expect(library.asked == ["0", "1", "2", "0", "1", "0", "0"])
        #expect(Number().itemCount(of: 7) == 1, "a page that isn't a sequence counts as an item")
    }

    private struct Number: PagedRequest {
        let endpoint = Endpoint<Int>(.get, "number")
        func page(after page: Decoded<Int>) -> Number? { nil }
    }

    @Test(
        "A list says that items may be missing if fewer came than announced, if some came twice, or if some disappeared",
        arguments: [
            ([[1, 2], [3, 4]], [4, 4], nil), ([[1, 2], [3]], [4, 4], "the service announces 4 items, but sent 3"),
            ([[1, 2], [2, 4]], [4, 4], "1 item came twice, so others may be missing"),
            ([[1, 2], [4]], [4, 3], "1 item disappeared while the list was read, so others may be missing"),
            // A new item moves others to the next page, but none is skipped.
            ([[1, 2], [2, 3], [4]], [4, 5, 5], nil),
        ] as [([[UInt64]], [Int], String?)])
    func progress(pages: [[UInt64]], totals: [Int], missing: String?) {
        var progress = PageProgress(isFromStart: true)
        var later = PageProgress(isFromStart: false)
        for (page, total) in zip(pages, totals) {
            let keys = page.map { HashKey(high: 0, low: $0) }
            progress = progress.adding(keys, undecoded: 0, of: total)
            later = later.adding(keys, undecoded: 0, of: total)
        }
        #expect(progress.missing?.description == missing && later.missing == nil)
    }

    @Test("If a page links to a page that was already requested, the list fails and says how much was received")
    func repeated() async throws {
        for (next, received) in [
            ([0], "1 page with 1 items"), ([1, 2, 0], "3 pages with 3 items"), ([1, 1], "2 pages with 2 items"),
        ] {
            let pages = pages { page in (Shelf(books: [7], next: "\(next[page])"), "\(page)") }
            let error = await thrown(RepeatedPages.self) { try await pages.items().value }
            #expect("\(error as Any)".contains("form a circle after \(received)"))
        }
    }

    @Test("A list doesn't fail because of equal or empty pages, as long as each page links to a new one")
    func movingOn() async throws {
        let same = pages { page in (Shelf(books: [7, 8], next: page < 9 ? "\(page + 1)" : nil), "the same") }
        #expect(try await same.items().value.count == 20)
        let filtered = pages { page in
            (Shelf(books: page % 50 == 0 ? [page] : [], next: page < 200 ? "\(page + 1)" : nil), "")
        }
        #expect(try await filtered.items().value == [0, 50, 100, 150, 200])
    }

    @Test(
        "A list fails after the budget's number of empty pages in a row, and the error says which setting to raise",
        arguments: [1, 3, 100])
    func emptyPages(most: Int) async throws {
        let library = try Library({ $0.budget.emptyPages = most }) { page in
            let number = Int(page) ?? 0
            return #"{"books": [\#(number < 2 ? "7" : "")], "next": "\#(number + 1)"}"#
        }
        let error = await thrown(RepeatedPages.self) { try await library.client.pages(Books()).items().value }
        #expect(error?.pages == most + 2 && error?.items == 2 && library.asked.count == most + 2)
        let last = most == 1 ? "1 pages" : "\(most) pages"
        #expect(
            "\(error as Any)".contains("the service's last \(last) had no items, after \(most + 2) pages with 2 items"))
        #expect("\(error as Any)".contains("raise “emptyPages” in the budget"))
        // An empty last page is fine, even if it is the only page and the budget permits only one empty page.
        let short = try Library({ $0.budget.emptyPages = 1 }) { _ in #"{"books": []}"# }
        #expect(try await short.client.pages(Books()).items().value.isEmpty)
    }

    /// A list whose pages are JSON arrays. A Link header names the next page.
    private struct Linked: PagedRequest {
        var endpoint: Endpoint<[Int]>

        func page(after page: Decoded<[Int]>) -> Linked? {
            page.response.link("next").map { Linked(endpoint: Endpoint(.get, $0)) }
        }
    }

    @Test("A Link header can name the next page by a relative or absolute URL, but not a page of another origin")
    func links() async throws {
        let library = try Library { _ in nil }
        let base = library.server.baseURL.absoluteString
        for (link, outcome) in [
            ("<\(base)books/?page=a%2Fb&per=2>; rel=\"next\"", [1, 2, 3]),
            ("</books/?page=a%2Fb&per=2>; rel=next", [1, 2, 3]),
            ("<https://evil.example/books/>; rel=\"next\"", nil),
        ] as [(String, [Int]?)] {
            library.server.script.reset()
            library.server.script.next(respond: .json([1, 2], headers: ["Link": link]))
            library.server.script.next(respond: .json([3]))
            let pages = library.client.pages(Linked(endpoint: Endpoint(.get, "books/", query: ["page": 1])))
            let result = await pages.items().settled().value
            #expect((try? result.get()) == outcome)
            if outcome == nil {
                #expect("\(result)".contains("the path leads to another origin than the base URL"))
            } else {
                #expect(library.server.requests.last?.target == "/books/?page=a%2Fb&per=2")
            }
        }
    }

    @Test("Canceling a list cancels the request in progress, and no other page is requested")
    func cancel() async throws {
        let library = try Library { Self.three[$0] }
        let (arrived, seal) = Promise<Void>.pending()
        library.server.script.next(.max, matching: "GET /books/") { request in
            guard request.queryValue("page") == "1" else { return nil }
            seal.fulfill()
            return ServerResponse.empty(200).delayed(by: 3600)
        }
        let items = library.client.pages(Books()).items()
        try await arrived.value
        items.cancel()
        await #expect(throws: PromiseError.cancelled) { try await items.value }
        #expect(library.asked == ["0", "1"])
    }

    @Test("For random links between pages, a sequence reads the same pages as a simple model, and no page twice")
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
            let result = await pages { page in
                seen.append(page)
                let next = links.indices.contains(page) ? links[page] : nil
                return (Shelf(books: [page], next: next.map(String.init)), "\(page)")
            }.items().settled().value

            #expect(seen.all == expected, "seed \(seed)")
            if page == nil {
                #expect(try result.get() == expected, "seed \(seed)")
            } else {
                #expect(throws: RepeatedPages.self, "seed \(seed)") { try result.get() }
            }
        }
    }

    @Test(
        "An endless list fails as soon as its budget of requests, bytes, items, or seconds is used up",
        arguments: BudgetExceeded.Limit.allCases)
    func budget(limit: BudgetExceeded.Limit) async throws {
        let settings = Mirror(reflecting: EndpointClient.Budget()).children.compactMap(\.label)
        // The limit of empty pages has its own error, which another test covers.
        #expect(settings == BudgetExceeded.Limit.allCases.map(\.rawValue) + ["emptyPages"])
        let clock = InstantTimekeeper()
        let library = try Library(
            {
                $0.clock = clock.timekeeper
                $0.adapt = { _ in _ = clock.timekeeper.schedule(10) {} }
                switch limit {
                case .requests: $0.budget.requests = 5
                case .bytes: $0.budget.bytes = 30 * 4 + 1
                case .items: $0.budget.items = 10
                case .seconds: $0.budget.seconds = 50
                }
            }, shelf: Self.endless)

        for _ in 0..<2 {
            let error = await thrown(ExchangeError.self) { try await library.client.pages(Books()).items().value }
            guard case .overBudget(let exceeded)? = error?.reason else { throw error ?? Fault.one }
            #expect(exceeded.limit == limit && exceeded.requests == 5 && exceeded.items == 10)
            let text = "\(error as Any)"
            #expect(text.contains("is used up, after 5 requests with 10 items in 150 bytes"))
            #expect(text.contains("raise “\(limit)” in the budget"))
        }
        #expect(library.asked.count == 10)
    }

    @Test("Lists with the same `BudgetMeter` share one budget, and their retries count toward it")
    func sharedBudget() async throws {
        let library = try Library(
            {
                $0.clock = InstantTimekeeper().timekeeper
                $0.retry = RetryRule(attempts: 10, longestWait: 1_000)
                $0.meter = BudgetMeter(.init(requests: 20), clock: $0.clock)
            }, shelf: Self.endless)
        library.server.script.next(3, respond: .empty(503))
        let results = await when(resolved: (0..<3).map { _ in library.client.pages(Books()).items() }).value
        for result in results { #expect(throws: ExchangeError.self) { try result.get() } }
        #expect(library.asked.count == 20)
    }
}
