import Foundation

// Replies as they were read before tokens of eight bytes and one reader a model, frozen as a contender: models read
// through Codable's containers, over a tape of 24 bytes a token.

struct NotJSON: Error {}

/// Reads a reply, and gives what makes a sum over what was read.
package enum Former {
    private static func page<Item>(_ body: Data, _ sum: @escaping (Item) -> Double) throws -> () -> Double
    where Item: Decodable & Sendable {
        let page = try TapeDecoder.decode(ExistPage<Item>.self, from: JSONTape(body))
        return { page.results.reduce(0) { $0 + sum($1) } }
    }

    package static func attributes(_ body: Data) throws -> () -> Double {
        try page(body) { (item: Attribute) in item.values.reduce(0) { $0 + ($1.value?.double ?? 0) } }
    }

    package static func averages(_ body: Data) throws -> () -> Double {
        try page(body) { (item: Average) in item.overall ?? 0 }
    }

    package static func correlations(_ body: Data) throws -> () -> Double {
        try page(body) { (item: Correlation) in item.value }
    }

    package static func insights(_ body: Data) throws -> () -> Double {
        try page(body) { (item: Insight) in item.created.timeIntervalSince1970 }
    }

    private struct Points: Decodable {
        var deviceDataPoints: ItemList<DeviceDataPoint>
        var nextPageID: String?
    }

    package static func deviceData(_ body: Data) throws -> () -> Double {
        let points = try TapeDecoder.decode(Points.self, from: JSONTape(body)).deviceDataPoints.items
        return { points.reduce(0) { $0 + $1.insertedDate.timeIntervalSince1970 } }
    }
}
