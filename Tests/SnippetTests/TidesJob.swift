import Foundation
import PledgeBatch
import PledgeHTTP

/// A service that the package knows nothing about.
struct TidesAPI {
    struct Level: Codable, Sendable {
        let station: Int
        let meters: Double
    }

    let client: EndpointClient

    init(token: String, at address: URL, options: EndpointClient.Options) {
        client = EndpointClient(baseURL: address, authorizer: .bearer(token), options: options)
    }

    func level(at station: Int) -> Promise<Level> { client.value(of: Endpoint(.get, "stations/\(station)/level")) }
}

/// Asks for the level at each station with several tokens, and continues where an earlier run ended.
func tidesJob(
    at address: URL, tokens: [String], storing levels: ResultsFile<TidesAPI.Level>, clock: Timekeeper
) -> Promise<BatchTally> {
    var rules = BatchRules()
    (rules.longestWait, rules.outageWait) = (86_400, 86_400)
    return Batch(1...800, rules: rules, clock: clock) { station in
        BatchLimit(service: "Tides", token: tokens[station % tokens.count], requests: 160)
    } work: { station, slot in
        TidesAPI(token: tokens[station % tokens.count], at: address, options: slot.options(.init())).level(at: station)
    }.run(storingIn: levels) { "\($0)" }
}
