import Foundation

/// A comparison of all contenders with a number of requests in flight.
struct Comparison {
    let inFlight: Int
    /// The medians of all rounds.
    let costs: [Kind: Cost]

    /// Measures the contenders. They take turns in a new random order in each round, so that a slow phase of the
    /// machine affects all of them.
    init(_ url: URL, inFlight: Int, rounds: Int, kinds: [Kind] = Kind.allCases) throws {
        self.inFlight = inFlight
        var contenders: [(kind: Kind, contender: any Contender)] = []
        for kind in kinds {
            guard let contender = try kind.contender(url, inFlight: inFlight) else { continue }
            // The first turn opens the connections, so it doesn't count.
            _ = try contender.run(kind.requests(inFlight))
            contenders.append((kind, contender))
        }
        var turns: [Kind: [Cost]] = [:]
        for _ in 0..<rounds {
            for (kind, contender) in contenders.shuffled() {
                turns[kind, default: []].append(try contender.run(kind.requests(inFlight)))
            }
        }
        costs = turns.mapValues { turns in
            Cost(cpu: median(turns.map(\.cpu)), time: median(turns.map(\.time)), requests: 1)
        }
    }

    /// Returns the CPU time of one contender as a multiple of that of another.
    func ratio(_ one: Kind, to other: Kind) -> Double {
        (costs[one]?.cpu ?? .nan) / (costs[other]?.cpu ?? .nan)
    }

    var gates: [Gate] {
        let cheapest = costs[.asyncFutures, default: .none].cpu < costs[.asyncAwait, default: .none].cpu
        return [
            Gate(
                title: "times fewer than URLSession's", figure: ratio(.urlSession, to: .curl), limit: 4,
                wantsLess: false),
            Gate(
                title: "times AsyncHTTPClient's", figure: ratio(.curl, to: cheapest ? .asyncFutures : .asyncAwait),
                limit: 1),
            Gate(title: "times the floor's", figure: ratio(.curl, to: .floor), limit: 2),
        ]
    }
}

extension Cost {
    fileprivate static let none = Cost(cpu: .infinity, time: .infinity, requests: 1)
}

/// A limit that this package guarantees for its CPU time per request.
struct Gate {
    let title: String
    let figure: Double
    let limit: Double
    /// Whether the limit is a maximum.
    var wantsLess = true

    var holds: Bool { wantsLess ? figure <= limit : figure >= limit }
}

extension Gate: CustomStringConvertible {
    var description: String {
        "\(holds ? "pass" : "FAIL")  \(title): \(String(format: "%.2f", figure)), "
            + "\(wantsLess ? "at most" : "at least") \(limit)"
    }
}

func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}
