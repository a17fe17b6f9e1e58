import Foundation

/// The query of a request, interpreted as the service does.
struct ParticipantQuery {
    /// The items as sent, decoded once, since filters ask for them with each record.
    private let items: [URLQueryItem]

    init(_ request: SandboxRequest) {
        items = request.queryItems
    }

    func text(_ name: String) -> String? {
        items.last { $0.name == name }?.value.flatMap { $0.isEmpty ? nil : $0 }
    }

    func required(_ name: String) throws -> String {
        guard let text = text(name) else { throw SandboxResponse.message("\(name) is required.", status: 400) }
        return text
    }

    /// Returns the comma-separated values, with `\,` for a comma inside one; `nil` when the query item is absent.
    func texts(_ name: String) -> Set<String>? {
        guard let joined = text(name) else { return nil }
        var texts = [""]
        var isEscaped = false
        for character in joined {
            if character == "\\", !isEscaped {
                isEscaped = true
                continue
            }
            if character == ",", !isEscaped {
                texts.append("")
            } else {
                if isEscaped, character != "," { texts[texts.count - 1].append("\\") }
                texts[texts.count - 1].append(character)
            }
            isEscaped = false
        }
        return Set(texts)
    }

    func moment(_ name: String) throws -> Date? {
        guard let text = text(name) else { return nil }
        guard let date = ZonedTime.parse(text) else {
            throw SandboxResponse.message("\(name) is not a date and time with a zone: \(text)", status: 400)
        }
        return date
    }

    /// Returns a number in a range; throws a 400 for any other.
    func integer(_ name: String, in range: ClosedRange<Int>, default value: Int) throws -> Int {
        guard let text = text(name) else { return value }
        guard let number = Int(text), range.contains(number) else {
            throw SandboxResponse.message("\(name) must be a number from \(range.lowerBound) on.", status: 400)
        }
        return number
    }

    /// Returns the time between the moments of two query items, both excluded; nil if the query has neither.
    func time(_ after: String, _ before: String) throws -> Time? {
        let (first, last) = (try moment(after), try moment(before))
        guard first != nil || last != nil else { return nil }
        return Time(first: first ?? .distantPast, last: last ?? .distantFuture)
    }

    struct Time {
        var first: Date
        var last: Date

        func contains(_ date: Date?) -> Bool {
            guard let date else { return false }
            return date > first && date < last
        }
    }
}

extension ParticipantAccess {
    /// Returns the route for a list: a page of the items that pass the query's filters, under a name.
    func list(
        _ name: String, at path: String,
        _ items: @escaping @Sendable (ParticipantQuery) throws -> [ParticipantRecords.Item]
    ) -> AuthorizedRoute {
        AuthorizedRoute("GET /api/v1/delegated/\(path)", for: participants) { request in
            let query = ParticipantQuery(request)
            return try query.page(name, of: items(query))
        }
    }
}

extension ParticipantQuery {
    /// Returns a page of the remaining items under a name, with the ID of the next page.
    ///
    /// The page ID belongs to its query: it contains a hash of the other items, so that omitting a filter is an error.
    fileprivate func page(_ name: String, of items: [ParticipantRecords.Item]) throws -> SandboxResponse {
        let limit = try integer("limit", in: 1...100, default: 100)
        var start = 0
        if let id = text("pageID") {
            guard let place = place(in: id) else {
                throw SandboxResponse.message("pageID does not belong to this query.", status: 400)
            }
            start = min(place, items.count)
        }
        let end = min(items.count, start + limit)
        return .json([
            name: .array(items[start..<end].map { .object($0.json) }),
            "nextPageID": end < items.count ? .string(id(at: end)) : nil,
        ])
    }

    private func id(at place: Int) -> String {
        "page/\(place)+\(Data(String(sum, radix: 36).utf8).base64EncodedString())"
    }

    private func place(in id: String) -> Int? {
        guard id.hasPrefix("page/"), let plus = id.firstIndex(of: "+"),
            let place = Int(id[..<plus].dropFirst("page/".count)), self.id(at: place) == id
        else { return nil }
        return place
    }

    private var sum: UInt64 {
        let items = items.filter { $0.name != "pageID" }.map { "\($0.name)=\($0.value ?? "")" }.sorted()
        return items.joined(separator: "&").utf8.reduce(14_695_981_039_346_656_037) { sum, byte in
            (sum ^ UInt64(byte)) &* 1_099_511_628_211
        }
    }
}
