import Foundation

/// A way to read some bytes.
struct Contender {
    let name: String
    /// Reads them so often, and gives the CPU seconds of one reading.
    let seconds: (Int) throws -> Double

    /// In this process.
    init<Value>(_ name: String, _ read: @escaping () throws -> Value) {
        self.name = name
        seconds = { count in
            let before = clock()
            for _ in 0..<count { _ = try read() }
            return Double(clock() - before) / Double(CLOCKS_PER_SEC) / Double(count)
        }
    }

    /// Elsewhere.
    init(_ name: String, seconds: @escaping (Int) throws -> Double) {
        self.name = name
        self.seconds = seconds
    }
}

/// What has to hold between the first contender of a contest, which is ours, and another.
struct Gate {
    let other: String
    /// Ours has to be at least so many times as fast.
    let floor: Double
}

/// The same bytes, read in several ways.
struct Contest {
    let name: String
    let contenders: [Contender]
    let gates: [Gate]

    /// The median of CPU seconds of one reading, by contender.
    ///
    /// They take turns in an order drawn anew each round: what slows the machine for a while slows all.
    func run(rounds: Int) throws -> [String: Double] {
        // As many as take about 40 ms, which is much longer than a clock's step.
        let counts = try contenders.map { max(1, Int(0.04 / max(try $0.seconds(2), 1e-6))) }
        var times: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for index in contenders.indices.shuffled() {
                times[contenders[index].name, default: []].append(try contenders[index].seconds(counts[index]))
            }
        }
        return times.mapValues { $0.sorted()[$0.count / 2] }
    }

    /// The gates that do not hold; those against who is not there are no matter.
    func failures(_ times: [String: Double]) -> [Gate] {
        gates.filter { gate in
            guard let ours = times[contenders[0].name], let other = times[gate.other] else { return false }
            return other / ours < gate.floor
        }
    }
}
