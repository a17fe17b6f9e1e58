import ExistKit
import Foundation
import MyDataHelpsKit
import Pledge
import PledgeCoding
import PledgeTestSupport
import Testing

/// A service with a list whose pages differ from what the client requested.
private final class OddList: HTTPTransport {
    enum Oddity: CaseIterable {
        case none
        /// A page has at most seven items, even if the client requests more.
        case cap
        case noTotal, tooSmallTotal, tooLargeTotal, negativeTotal
        /// After the first page, an item is added at the end.
        case added
        /// After the first page, an item is added at the beginning, so that another item is sent twice.
        case inserted
        /// After the first page, one of its items is removed, so that another item is skipped.
        case removed
        /// The list has one item twice, and the total counts both.
        case twice
        /// The last page is followed by a page without items.
        case emptyEnd
    }

    enum Form {
        /// Exist: pages from 1, a count, and a link to the next page.
        case linked
        /// MyDataHelps: pages from 0, and a total.
        case numbered(list: String, total: String)
        /// MyDataHelps: each page has the identifier of the next one.
        case identified(list: String)
    }

    private let form: Form
    private let oddity: Oddity
    private let item: @Sendable (Int) -> String
    private let items: Locked<[Int]>
    let requests = Counter()

    init(_ form: Form, _ oddity: Oddity, item: @escaping @Sendable (Int) -> String) {
        (self.form, self.oddity, self.item) = (form, oddity, item)
        items = Locked(Array(0..<25) + (oddity == .twice ? [3] : []))
    }

    /// The items that the list has during the whole test.
    var lasting: Set<Int> { Set(0..<25).subtracting(oddity == .removed ? [2] : []) }

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        func query(_ name: String) -> String? { parts?.queryItems?.first { $0.name == name }?.value }
        let text: String
        if request.url.path.hasSuffix("token") || request.url.path.contains("connect/token") {
            text = #"{"access_token":"t","expires_in":3600}"#
        } else {
            requests.increment()
            text = page(asked: Int(query("limit") ?? query("pageSize") ?? "") ?? 10) {
                query("page").flatMap { Int($0) }.map { $0 - 1 } ?? query("pageNumber").flatMap { Int($0) }
                    ?? query("pageID").flatMap { Int($0) } ?? 0
            }
        }
        return .value(RawResponse(url: request.url, status: 200, headers: [:], body: Data(text.utf8)))
    }

    private func page(asked: Int, number: () -> Int) -> String {
        let (size, number) = (oddity == .cap ? min(7, asked) : asked, number())
        let all = items.withLock { items in
            defer {
                if number == 0 {
                    switch oddity {
                    case .added: items.append(100)
                    case .inserted: items.insert(100, at: 0)
                    case .removed: items.remove(at: 2)
                    default: break
                    }
                }
            }
            return items
        }
        let page = all.dropFirst(number * size).prefix(size).map(item).joined(separator: ",")
        let isLast = (number + (oddity == .emptyEnd ? 0 : 1)) * size >= all.count
        let total: String? =
            switch oddity {
            case .noTotal: nil
            case .tooSmallTotal: "5"
            case .tooLargeTotal: "40"
            case .negativeTotal: "-7"
            default: "\(all.count)"
            }
        switch form {
        case .linked:
            let count = total.map { "\"count\":\($0)," } ?? ""
            return "{\(count)\"next\":\(isLast ? "null" : "\"x\""),\"results\":[\(page)]}"
        case .numbered(let list, let name): return "{\"\(list)\":[\(page)]\(total.map { ",\"\(name)\":\($0)" } ?? "")}"
        case .identified(let list):
            return "{\"\(list)\":[\(page)],\"nextPageID\":\(isLast ? "null" : "\"\(number + 1)\"")}"
        }
    }
}

@Suite("Lists whose pages differ from the request")
struct OddPagesTests {
    private struct Read: Sendable {
        var names: [String] = []
        /// What the pages say about items that are missing.
        var missing: [String] = []
    }

    /// A list of a kit: the form of its pages, the JSON of an item, and a closure that reads the list to its end.
    private struct List: Sendable {
        var form: OddList.Form
        var item: @Sendable (Int) -> String
        var read: @Sendable (OddList) async throws -> Read
    }

    private static func exist<Item: Sendable>(
        _ query: @escaping @autoclosure @Sendable () -> ExistQuery<Item>, _ item: @escaping @Sendable (Int) -> String,
        _ name: @escaping @Sendable (Item) -> String
    ) -> List {
        List(form: .linked, item: item) { list in
            let existAPI = ExistAPI(token: "t", options: ExistAPI.defaultOptions.with { $0.transport = list })
            var read = Read()
            for try await page in existAPI.pages(query()) {
                read.names += page.map(name)
                read.missing += page.unreadable.map(\.description)
            }
            let all = try await existAPI.all(query()).value.items
            #expect(Set(all.map(name)).count == all.count, "an item is returned twice")
            return read
        }
    }

    private static func client(_ list: OddList) -> MyDataHelpsClient {
        MyDataHelpsClient(options: MyDataHelpsClient.defaultOptions.with { $0.transport = list })
    }

    private static func participant<Query: PagedQuery & Sendable>(
        _ query: @escaping @autoclosure @Sendable () -> Query, _ form: OddList.Form,
        _ item: @escaping @Sendable (Int) -> String, _ name: @escaping @Sendable (Query.Page.Element) -> String
    ) -> List {
        List(form: form, item: item) { list in
            let session = ParticipantSession(client: client(list), accessToken: ParticipantAccessToken(token: "t"))
            var read = Read()
            for try await page in session.pages(query()) {
                read.names += page.map(name)
                read.missing += page.unreadable.map(\.description)
            }
            return read
        }
    }

    /// Every list of both kits, by the name of its query.
    private static let lists: [String: List] = {
        @Sendable func attribute(_ number: Int) -> String { #"{"name":"n\#(number)","label":"l","value_type":0}"# }
        @Sendable func value(_ number: Int) -> String {
            let day = ExistDay("2024-03-02")?.advanced(by: -number).description ?? ""
            return #"{"date":"\#(day)","value":\#(number)}"#
        }
        @Sendable func average(_ number: Int) -> String {
            #"{"attribute":"n\#(number)","date":"2024-03-02","overall":1}"#
        }
        @Sendable func correlation(_ number: Int) -> String {
            #"{"attribute":"n\#(number)","attribute2":"b","date":"2024-03-02","value":0.5}"#
        }
        @Sendable func insight(_ number: Int) -> String {
            #"{"created":"2024-03-02T10:00:00Z","target_date":"2024-03-02","type":{"name":"n\#(number)"},"text":"t"}"#
        }
        var lists: [String: List] = [
            "attributes": exist(.attributes(limit: 10), attribute) { $0.name },
            "owned": exist(.owned(limit: 10), attribute) { $0.name },
            "templates": exist(.templates(limit: 10), attribute) { $0.name },
            "attributesWithValues": exist(.attributesWithValues(limit: 10), attribute) { $0.name },
            "values": exist(.values(of: "steps", limit: 10), value) { "n\($0.value?.double.map { Int($0) } ?? -1)" },
            "averages": exist(.averages(limit: 10), average) { $0.attribute },
            "correlations": exist(.correlations(limit: 10), correlation) { $0.attribute },
            "insights": exist(.insights(limit: 10), insight) { $0.type.name },
        ]
        lists["ExternalAccountProvidersQuery"] = participant(
            ExternalAccountProvidersQuery(limit: 10),
            .numbered(list: "externalAccountProviders", total: "totalExternalAccountProviders"),
            { #"{"id":\#($0),"name":"n\#($0)","category":"Provider"}"# }, \.name)
        lists["DeviceDataQuery"] = participant(
            DeviceDataQuery(namespace: .project, limit: 10), .identified(list: "deviceDataPoints"),
            {
                #"{"id":"\#($0)","namespace":"Project","identifier":"n\#($0)","type":"t","value":"1","insertedDate":"2024-03-02T10:00:00Z","modifiedDate":"2024-03-02T10:00:00Z"}"#
            }, { $0.identifier ?? "" })
        lists["SurveyTaskQuery"] = participant(
            SurveyTaskQuery(limit: 10), .identified(list: "surveyTasks"),
            {
                #"{"id":"\#($0)","surveyID":"s","surveyName":"n\#($0)","surveyDisplayName":"d","status":"incomplete","insertedDate":"2024-03-02T10:00:00Z","modifiedDate":"2024-03-02T10:00:00Z","hasSavedProgress":false}"#
            }, \.surveyName)
        lists["SurveyAnswersQuery"] = participant(
            SurveyAnswersQuery(limit: 10), .identified(list: "surveyAnswers"),
            {
                #"{"id":"\#($0)","surveyResultID":"r","surveyID":"s","surveyVersion":1,"surveyName":"s","surveyDisplayName":"d","date":"2024-03-02T10:00:00Z","stepIdentifier":"n\#($0)","resultIdentifier":"r","answers":["1"],"insertedDate":"2024-03-02T10:00:00Z"}"#
            }, \.stepIdentifier)
        lists["NotificationHistoryQuery"] = participant(
            NotificationHistoryQuery(limit: 10), .identified(list: "notifications"),
            {
                #"{"id":"\#($0)","identifier":"n\#($0)","sentDate":"2024-03-02T10:00:00Z","statusCode":"Succeeded","type":"Sms","content":{"body":"b"}}"#
            }, \.identifier)
        lists["DeviceDataV2Query"] = List(
            form: .identified(list: "deviceDataPoints"),
            item: {
                #"{"id":"\#($0)","namespace":"Oura","identifier":"n\#($0)","type":"t","value":"1","insertedDate":"2024-03-02T10:00:00Z","modifiedDate":"2024-03-02T10:00:00Z"}"#
            }
        ) { list in
            let account = ServiceAccount(name: "s", client: client(list)) { $0 }
            let query = DeviceDataV2Query(project: .init("p"), namespace: .oura, type: "t", limit: 10)
            var read = Read()
            for try await page in account.pages(query) {
                read.names += page.map { $0.identifier ?? "" }
                read.missing += page.unreadable.map(\.description)
            }
            return read
        }
        lists["ProjectParticipantsQuery"] = List(
            form: .numbered(list: "participants", total: "totalParticipants"),
            item: { #"{"id":"\#($0)","participantIdentifier":"n\#($0)","demographics":{}}"# }
        ) { list in
            let account = ServiceAccount(name: "s", client: client(list)) { $0 }
            var read = Read()
            for try await page in account.pages(ProjectParticipantsQuery(project: .init("p"), limit: 10)) {
                read.names += page.map(\.participantIdentifier)
                read.missing += page.unreadable.map(\.description)
            }
            return read
        }
        return lists
    }()

    @Test(
        "If a service announces a total, no list loses an item silently, even if its pages differ from the request",
        arguments: lists.keys.sorted())
    func each(name: String) async throws {
        let row = try #require(Self.lists[name])
        let hasTotal = if case .identified = row.form { false } else { true }
        for oddity in OddList.Oddity.allCases {
            let list = OddList(row.form, oddity, item: row.item)
            let read = try await row.read(list)
            let missing = Set(list.lasting.map { "n\($0)" }).subtracting(read.names)
            // If a service announces no total, nothing shows that it has skipped an item.
            if hasTotal || oddity != .removed {
                #expect(missing.isEmpty || !read.missing.isEmpty, "\(oddity): \(missing.sorted())")
            }
            let isTold = hasTotal && [.tooLargeTotal, .removed, .twice].contains(oddity)
            #expect(read.missing.count == (isTold ? 1 : 0), "\(oddity): \(read.missing)")
            #expect(missing.isEmpty == (oddity != .removed), "\(oddity): \(missing.sorted())")
        }
    }

    @Test("The messages about missing items say how many items are missing")
    func sentences() async throws {
        let row = try #require(Self.lists["ProjectParticipantsQuery"])
        for (oddity, words) in [
            (OddList.Oddity.tooLargeTotal, "the service announces 40 items, but sent 25"),
            (.removed, "1 item disappeared while the list was read, so others may be missing"),
            (.twice, "1 item came twice, so others may be missing"),
        ] {
            #expect(try await row.read(OddList(row.form, oddity, item: row.item)).missing == [words])
        }
    }

    @Test("The table has every list of both kits")
    func whole() throws {
        let queries = try Repository.symbols("MyDataHelpsKit")
            .filter { $0.declaration == "is PagedQuery" && $0.path != "PagedByID" }.map(\.path)
        let functions = try Repository.symbols("ExistKit").filter { $0.declaration.hasPrefix("static func ") }
            .compactMap { $0.path.prefixMatch(of: /ExistQuery\.(\w+)/).map { String($0.1) } }
        let names = Set(queries + functions)
        #expect(names == Set(Self.lists.keys))
    }
}
