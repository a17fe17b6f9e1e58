import Foundation
import PledgeHTTP

/// Changes the sandbox's responses, so that a test gets data that the sandbox doesn't send.
struct Alteration: Sendable {
    /// Returns the changed JSON of a response to a request for the URL `target`, or nil for a server error.
    typealias Change = @Sendable (_ target: String, _ page: [String: Any]) -> [String: Any]?

    private let change: Change

    init(_ change: @escaping Change) { self.change = change }

    func affecting(_ transport: any HTTPTransport) -> any HTTPTransport {
        Altered(alteration: self, transport: transport)
    }

    private struct Altered: HTTPTransport {
        let alteration: Alteration
        let transport: any HTTPTransport

        func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
            // Uses the whole URL, because its path alone would lack the trailing slash.
            let target = request.url.absoluteString
            return transport.send(request).map(on: nil) { response in
                guard let page = try JSONSerialization.jsonObject(with: response.body) as? [String: Any] else {
                    return response
                }
                let changed = alteration.change(target, page)
                let body = try JSONSerialization.data(withJSONObject: changed ?? ["detail": "Broken."])
                return RawResponse(
                    url: response.url, status: changed == nil ? 500 : response.status,
                    headers: ["content-type": "application/json"], body: body)
            }
        }
    }

    /// Returns the page with each item of its lists changed. If an item has values, its values are changed instead.
    static func items(_ page: [String: Any], _ change: ([String: Any]) -> [String: Any]) -> [String: Any] {
        var page = page
        for (name, list) in page {
            guard let items = list as? [[String: Any]] else { continue }
            page[name] = items.map { item in
                guard let values = item["values"] as? [[String: Any]] else { return change(item) }
                return item.merging(["values": values.map(change)]) { $1 }
            }
        }
        return page
    }
}

extension Alteration {
    /// Gives each field a value that differs from the values of other fields, and adds fields that the sandbox leaves
    /// out. A text field contains its own name.
    static let distinct = Alteration { target, page in
        func named(_ object: [String: Any], and more: String...) -> [String: Any] {
            object.merging(more.map { ($0, $0) }) { $1 }.reduce(into: [:]) { named, field in
                let isText =
                    (field.value as? String).map { !$0.contains("://") && !field.key.hasSuffix("Date") } ?? false
                named[field.key] = isText ? field.key : field.value
            }
        }
        switch target.split(separator: "?")[0].split(separator: "/").last {
        case "correlations":
            return items(page) { item in
                let isOdd = ((item["attribute"] as? String)?.utf8.count ?? 0) % 2 == 1
                return item.merging(
                    [
                        "attribute_category": isOdd ? "category" : NSNull(), "description": "description",
                        "offset": isOdd ? item["offset"] ?? 0 : NSNull(),
                        "occurrence": "occurrence", "rating": ["positive": true, "rating": "rating"],
                    ] as [String: Any]
                ) { $1 }
            }
        case "participant":
            let person = page["demographics"] as? [String: Any] ?? [:]
            let flags = ["unsubscribedFromEmails": "false", "unsubscribedFromSms": "true"]
            return named(page).merging([
                "demographics": named(person, and: "middleName", "street2", "state").merging(flags) { $1 }
            ]) { $1 }
        case "project":
            return named(page).merging(["organization": ["id": "organizationID", "name": "organization"]]) { $1 }
        case "devicedata":
            return items(page) { item in
                let start = (item["startDate"] as? String)?.replacingOccurrences(of: "+01:00", with: "+02:00")
                return item.merging(
                    [
                        "modifiedDate": "2026-11-19T01:02:03.456Z", "startDate": start ?? NSNull(),
                        "properties": ["properties": "1"],
                    ] as [String: Any]
                ) { $1 }
            }
        case "surveytasks":
            return items(page) { item in
                item.merging([
                    "startDate": "2026-11-02T01:02:03.456+02:00", "endDate": "2026-11-03T01:02:03.456-03:00",
                    "dueDate": "2026-11-04T01:02:03.456+05:30", "modifiedDate": "2026-11-05T01:02:03.456Z",
                ]) { $1 }
            }
        default: return page
        }
    }
}
