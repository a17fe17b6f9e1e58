import Foundation
import PledgeHTTP
import PledgeTestSupport

/// A service that now and then returns less than it has, in a response that is well formed.
final class Glitches: Sendable {
    private let dice: Locked<SeededGenerator>
    /// One response in so many is affected.
    private let rate: Int
    private let count = Locked(0)

    init(seed: UInt64, oneIn rate: Int) {
        dice = Locked(SeededGenerator(seed: seed))
        self.rate = rate
    }

    /// The number of affected responses so far.
    var affected: Int { count.withLock { $0 } }

    func affecting(_ transport: any HTTPTransport) -> any HTTPTransport {
        Affected(glitches: self, transport: transport)
    }

    private struct Affected: HTTPTransport {
        let glitches: Glitches
        let transport: any HTTPTransport

        func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
            transport.send(request).map(on: nil) { glitches.affect($0) }
        }
    }

    private func affect(_ reply: HTTPReply) -> HTTPReply {
        guard reply.status == 200, dice.withLock({ Int.random(in: 0..<rate, using: &$0) }) == 0,
            var page = try? JSONSerialization.jsonObject(with: reply.body) as? [String: Any],
            let list = page.first(where: { $0.value is [Any] })?.key, let items = page[list] as? [Any]
        else { return reply }
        switch dice.withLock({ Int.random(in: 0..<3, using: &$0) }) {
        case 0: page[list] = [Any]()
        case 1: page[list] = Array(items.prefix(items.count / 2))
        // A window in which days are missing, or a page that leaves out what is older.
        default:
            page[list] = items.map { item -> Any in
                guard var item = item as? [String: Any], let values = item["values"] as? [Any] else { return item }
                item["values"] = Array(values.suffix(values.count / 2))
                return item
            }
        }
        if page["next"] != nil { page["next"] = NSNull() }
        if page["nextPageID"] != nil { page["nextPageID"] = nil }
        guard let body = try? JSONSerialization.data(withJSONObject: page) else { return reply }
        count.withLock { $0 += 1 }
        return HTTPReply(url: reply.url, status: 200, headers: ["content-type": "application/json"], body: body)
    }
}
