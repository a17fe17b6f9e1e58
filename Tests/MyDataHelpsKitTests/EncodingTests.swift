import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

@Suite("Models in an app's cache")
struct EncodingTests {
    @Test("Encoded models have the service's field names, and decode to equal values with any format and date strategy")
    func roundTrip() throws {
        var models = EncodedModels(of: "MyDataHelpsKit")
        for endpoint in EndpointCase.all {
            let bodies = try endpoint.samples.map(sample)
            let sent = try bodies.map { try JSONDecoder().decode(JSONValue.self, from: $0).names }
            for decode in endpoint.decoders {
                for (name, body) in zip(endpoint.samples, bodies) {
                    let value = try decode(body)
                    models.add(value, from: "\(endpoint.name) \(name)")
                    guard let model = value as? any Encodable else { continue }
                    let encoded = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(model))
                    #expect(encoded.names.subtracting(sent.reduce([]) { $0.union($1) }) == [], "\(name)")
                }
            }
        }
        #expect(models.unset.allSatisfy { $0.hasSuffix(".unreadable") }, "\(models.unset)")
        // The other types are protocols, and words that occur in no response.
        let others = [
            "EmbeddableSurveyCompletionReason", "NotificationType", "ResultPageWithID", "ServiceWord",
            "SurveyTaskQuery.SortOrder",
        ]
        #expect(try models.missing().symmetricDifference(others) == [])
    }

    @Test("Models of changed but valid responses can be encoded and decoded again", arguments: EndpointCase.all)
    func changed(endpoint: EndpointCase) throws {
        for decode in endpoint.decoders {
            for name in endpoint.samples {
                try EncodedModels(of: "MyDataHelpsKit").checkChanged(
                    String(decoding: try sample(name), as: UTF8.self), name, decode)
            }
        }
    }

    @Test("A date keeps all digits that the service sent, before and after 1970")
    func digits() throws {
        try Fuzzing.run(cases: 1_000) { seed, generator in
            let digits = Int.random(in: 0...9, using: &generator)
            let fraction = (0..<digits).map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            let year = Int.random(in: 1900...2199, using: &generator)
            let second = Int.random(in: 0...59, using: &generator)
            let text = "\(year)-03-02T10:11:\(second < 10 ? "0" : "")\(second)\(digits == 0 ? "" : ".")\(fraction)Z"
            let account = ExternalAccount(
                id: .init(1), status: .error, provider: .init(id: .init(2), name: "p"),
                lastRefreshDate: try timestamp(text))
            let decoded = try JSONDecoder().decode(ExternalAccount.self, from: JSONEncoder().encode(account))
            #expect(decoded == account, "\(text), seed \(seed)")
        }
    }
}
