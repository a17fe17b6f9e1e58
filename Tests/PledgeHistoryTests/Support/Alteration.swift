import Foundation
import PledgeHTTP

/// What a service changes in the replies that the sandbox would give.
struct Alteration: Sendable {
    /// Changes the JSON of a reply to a request of this URL; nil is a fault of the service.
    typealias Change = @Sendable (_ target: String, _ page: [String: Any]) -> [String: Any]?

    private let change: Change

    init(_ change: @escaping Change) { self.change = change }

    func affecting(_ transport: any HTTPTransport) -> any HTTPTransport {
        Altered(alteration: self, transport: transport)
    }

    private struct Altered: HTTPTransport {
        let alteration: Alteration
        let transport: any HTTPTransport

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            // The path alone would lack its last slash.
            let target = request.url.absoluteString
            return transport.send(request).map(on: nil) { reply in
                guard let page = try JSONSerialization.jsonObject(with: reply.body) as? [String: Any] else {
                    return reply
                }
                let changed = alteration.change(target, page)
                let body = try JSONSerialization.data(withJSONObject: changed ?? ["detail": "Broken."])
                return HTTPReply(
                    url: reply.url, status: changed == nil ? 500 : reply.status,
                    headers: ["content-type": "application/json"], body: body)
            }
        }
    }

    /// Returns the page with each item of its list changed, and each of their values if they have any.
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
