import Foundation

struct ExistParameters {
    let request: ServerRequest

    init(_ request: ServerRequest) { self.request = request }

    func text(_ name: String) -> String? { request.queryText(name) }

    func required(_ name: String) throws -> String {
        guard let text = text(name) else { throw Self.fault(name, "This field is required.") }
        return text
    }

    /// Returns the names in a comma-separated list; nil, which means all, without the query item.
    func names(_ name: String) -> Set<String>? {
        text(name).map { Set($0.split(separator: ",").map(String.init)) }
    }

    /// Whether a flag is set; the documentation writes `true` in some places and `1` in others.
    func isOn(_ name: String) -> Bool { truth(name) ?? false }

    func truth(_ name: String) -> Bool? {
        switch text(name)?.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    func integer(_ name: String) throws -> Int? {
        try value(name, or: "A valid integer is required.") { Int($0) }
    }

    func day(_ name: String) throws -> CalendarDay? {
        try value(name, or: "Date has wrong format. Use one of these formats instead: YYYY-MM-DD.") { CalendarDay($0) }
    }

    private func value<Value>(_ name: String, or message: String, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = parse(text) else { throw Self.fault(name, message) }
        return value
    }

    func days() throws -> ClosedRange<CalendarDay> {
        let first = try day("date_min") ?? CalendarDay(number: .min / 2)
        let last = try day("date_max") ?? CalendarDay(number: .max / 2)
        guard first <= last else { throw Self.fault("date_min", "date_min is after date_max.") }
        return first...last
    }

    private static func fault(_ field: String, _ message: String) -> ServerResponse {
        .json([field: [.string(message)]], status: 400)
    }
}

extension ExistParameters {
    private static let defaultLimit = 20
    private static let largestLimit = 100

    /// Returns a page, for which only its items are converted to JSON.
    func page<Item>(of items: [Item], json: (Item) -> ServerJSON) throws -> ServerResponse {
        let limit = min(try integer("limit") ?? Self.defaultLimit, Self.largestLimit)
        guard limit >= 1 else { throw Self.fault("limit", "Ensure this value is greater than or equal to 1.") }
        let page = try integer("page") ?? 1
        let pages = max(1, (items.count + limit - 1) / limit)
        guard (1...pages).contains(page) else {
            throw ServerResponse.detail("Invalid page.", status: 404)
        }
        let slice = items[(page - 1) * limit..<min(items.count, page * limit)]
        return .json([
            "count": .integer(items.count),
            "next": page < pages ? link(toPage: page + 1) : nil,
            "previous": page > 1 ? link(toPage: page - 1) : nil,
            "results": .array(slice.map(json)),
        ])
    }

    /// Returns the URL of another page as captured responses contain it (the documentation shortens it): the whole
    /// query, sorted by name, without `page` for the first.
    private func link(toPage page: Int) -> ServerJSON {
        let host = request.headers["Host"] ?? "127.0.0.1"
        let others = request.queryItems.filter { $0.name != "page" }.map { ($0.name, $0.value ?? "") }
        let items = (others + (page > 1 ? [("page", "\(page)")] : [])).sorted { $0.0 < $1.0 }
        let query = items.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
        return .string("http://\(host)\(request.path)\(query.isEmpty ? "" : "?")\(query)")
    }

    /// Returns form-encoded text, in which a comma is percent-encoded, too.
    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet.urlQueryAllowed.subtracting(CharacterSet(charactersIn: "!$&'()*+,;=:@/?"))
        let encoded = text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
        return encoded.replacingOccurrences(of: "%20", with: "+")
    }
}
