import ExistKit
import Foundation
import MyDataHelpsKit

/// Returns a response with the given body, as it comes from a service.
func response(_ body: Data) -> RawResponse {
    RawResponse(url: ExistAPI.serviceURL, status: 200, headers: ["Content-Type": "application/json"], body: body)
}

/// Decodes a response in the same way as the client does on its own threads.
func read<Value: Decodable & Sendable>(_ type: Value.Type, _ response: RawResponse) throws -> Value {
    try Endpoint<Value>(.get, "x").decode(response, .plain)
}

/// Decodes something, and returns a closure that computes a sum over the result. The sums of all contenders are
/// compared. The time for computing the sum is not measured.
typealias Reading = () throws -> () -> Double

/// A service's response that is decoded in several ways, all of which must find the same values.
struct Response {
    let name: String
    /// The name of the response in the Python script.
    let key: String
    let body: Data
    let ours: Reading
    let older: Reading
    /// This package must be at least this many times as fast as the older clients, and as orjson.
    let floors: (older: Double, orjson: Double)

    func contest(_ python: Python?) throws -> Contest {
        let (one, other) = (try ours()(), try older()())
        precondition(abs(one - other) <= 1e-6 * max(abs(other), 1), "\(name): \(one) and \(other) were read")
        var contenders = [Contender("Pledge", ours), Contender("older clients", older)]
        try python?.load(key, body)
        for library in python?.libraries ?? [] {
            contenders.append(Contender(library) { try python?.seconds(key, library, $0) ?? 0 })
        }
        return Contest(
            name: name, contenders: contenders,
            gates: [
                Gate(other: "older clients", floor: floors.older),
                Gate(other: "orjson", floor: floors.orjson),
            ])
    }
}

func responses() -> [Response] {
    func exist<Item: Decodable & Sendable, Peer: Decodable>(
        _ name: String, _ key: String, _ floors: (Double, Double), _ body: Data,
        _ item: Item.Type, _ sum: @escaping (Item) -> Double,
        _ peer: Peer.Type, _ decoder: @escaping () -> JSONDecoder, _ peerSum: @escaping (Peer) -> Double
    ) -> Response {
        let answer = response(body)
        return Response(
            name: name, key: key, body: body,
            ours: {
                let page = try read(ExistPage<Item>.self, answer)
                return { page.results.reduce(0) { $0 + sum($1) } }
            },
            older: {
                let page = try decoder().decode(PeerPage<Peer>.self, from: body)
                return { page.results.reduce(0) { $0 + peerSum($1) } }
            },
            floors: (floors.0, floors.1))
    }
    let points = Payload.deviceData
    let pointsResponse = response(points)
    return [
        exist(
            "Exist, 100 attributes with 31 days of values", "attributes", (15, 1 / 0.6),
            Payload.attributes, Attribute.self, { $0.values.reduce(0) { $0 + ($1.value?.double ?? 0) } },
            PeerAttribute.self, PeerDecoders.days,
            { $0.values.reduce(0) { $0 + ($1.value.flatMap(Double.init) ?? 0) } }),
        exist(
            "Exist, 100 averages", "averages", (5, 1 / 1.1), Payload.averages, Average.self,
            { $0.overall ?? 0 }, PeerAverage.self, PeerDecoders.days, { $0.overall }),
        exist(
            "Exist, 100 correlations", "correlations", (4, 1 / 1.1), Payload.correlations,
            Correlation.self, { $0.value }, PeerCorrelation.self, PeerDecoders.days,
            { $0.value }),
        exist(
            "Exist, 100 insights", "insights", (7, 1 / 1.1), Payload.insights, Insight.self,
            { $0.created.timeIntervalSince1970 }, PeerInsight.self, PeerDecoders.moments,
            { $0.created.timeIntervalSince1970 }),
        Response(
            name: "MyDataHelps, 100 points of device data", key: "deviceData", body: points,
            ours: {
                let page = try read(DeviceDataResultPage.self, pointsResponse)
                return { page.reduce(0) { $0 + $1.insertedDate.timeIntervalSince1970 } }
            },
            older: {
                let page = try PeerDecoders.eitherMoment().decode(PeerPoints.self, from: points)
                return { page.deviceDataPoints.reduce(0) { $0 + $1.insertedDate.timeIntervalSince1970 } }
            },
            floors: (9, 1 / 1.1)),
    ]
}

/// Contests with a caller's own `Decodable` types, like those of an app that wraps another service. They are decoded as
/// the client decodes them.
func ownTypes() -> [Contest] {
    func contest<Item: Decodable & Sendable>(_ name: String, _ body: Data, _ type: Item.Type) -> Contest {
        let answer = response(body)
        return Contest(
            name: name,
            contenders: [
                Contender("Pledge") {
                    try read(OwnPage<Item>.self, answer)
                },
                Contender("JSONDecoder") {
                    try JSONDecoder().decode(OwnPage<Item>.self, from: body)
                },
            ], gates: [Gate(other: "JSONDecoder", floor: 2)])
    }
    return [
        contest("100 attributes with values", Payload.attributes, OwnAttribute.self),
        contest("100 correlations", Payload.correlations, OwnCorrelation.self),
    ]
}

/// Contests about deep nesting. Each contest decodes two megabytes of zeros: once in a single list, and once inside 90
/// nested lists.
func hostileShapes() -> [Contest] {
    func contest<Value: Decodable & Sendable>(_ name: String, _ type: Value.Type) -> Contest {
        func reading(_ depth: Int) -> () throws -> Value {
            let zeros = Array(repeating: "0", count: 1_000_000 - depth).joined(separator: ",")
            let text = String(repeating: "[", count: depth) + zeros + String(repeating: "]", count: depth)
            let answer = response(Data(text.utf8))
            return { try read(type, answer) }
        }
        return Contest(
            name: name, contenders: [Contender("90 deep", reading(90)), Contender("flat", reading(1))],
            gates: [Gate(other: "flat", floor: 1.0 / 3)])
    }
    return [
        contest("as any JSON", JSONValue.self), contest("as a type that tries what it is", OwnTrial.self),
    ]
}
