import Foundation

/// All contenders with so many requests in flight.
struct Comparison {
    let inFlight: Int
    /// Medians of the rounds.
    let costs: [Kind: Cost]

    /// Takes turns in an order drawn anew each round: what slows the machine for a while slows all.
    init(_ url: URL, inFlight: Int, rounds: Int, kinds: [Kind] = Kind.allCases) throws {
        self.inFlight = inFlight
        var contenders: [(kind: Kind, contender: any Contender)] = []
        for kind in kinds {
            guard let contender = try kind.contender(url, inFlight: inFlight) else { continue }
            // The first turn opens connections.
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

    /// How many times the CPU time of one is that of another.
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

/// A promise this package makes about its CPU time a request.
struct Gate {
    let title: String
    let figure: Double
    let limit: Double
    /// Is a small figure good?
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
