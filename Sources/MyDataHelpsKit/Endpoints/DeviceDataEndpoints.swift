import Foundation
import PledgeHTTP

extension DeviceDataQuery {
    /// `GET api/v1/delegated/devicedata`
    public var endpoint: Endpoint<DeviceDataResultPage> {
        var query = QueryItems()
        query.add("namespace", namespace.rawValue)
        query.add("type", oneOf: types)
        query.add("observedAfter", observedAfter)
        query.add("observedBefore", observedBefore)
        query.add("modifiedAfter", modifiedAfter)
        query.add("modifiedBefore", modifiedBefore)
        query.add(limit: limit, pageID: pageID?.value)
        return Endpoint(.get, Endpoint<Page>.delegated("devicedata"), query: query)
    }
}

extension Endpoint where Response == Void {
    static func persist(_ points: [DeviceDataPointPersistModel]) throws -> Endpoint {
        var places: [DeviceDataPointPersistModel.NaturalKey: Int] = [:]
        for (index, point) in points.enumerated() {
            if let earlier = places.updateValue(index, forKey: point.naturalKey) {
                throw AmbiguousPoints(first: earlier, second: index, type: point.type)
            }
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .action(
            .post, delegated("devicedata"), body: .json(try encoder.encode(points)),
            isRepeatable: points.allSatisfy(\.isRepeatable))
    }
}

/// Two points to store that the service could not tell apart.
struct AmbiguousPoints: Error, CustomStringConvertible {
    let first: Int
    let second: Int
    let type: String

    var description: String {
        "points \(first) and \(second), both of type “\(type)”, have the same identifier, type and dates, so that one "
            + "would replace the other: give them different identifiers or dates"
    }
}
