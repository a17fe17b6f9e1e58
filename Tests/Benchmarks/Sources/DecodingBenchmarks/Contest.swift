import Foundation

/// A way to decode some bytes.
struct Contender {
    let name: String
    /// Decodes the bytes the given number of times, and returns the CPU seconds of decoding them once.
    let seconds: (Int) throws -> Double

    /// Creates a contender that runs in this process.
    init<Value>(_ name: String, _ read: @escaping () throws -> Value) {
        self.name = name
        seconds = { count in
            let before = clock()
            for _ in 0..<count { _ = try read() }
            return Double(clock() - before) / Double(CLOCKS_PER_SEC) / Double(count)
        }
    }

    /// Creates a contender that runs in another process.
    init(_ name: String, seconds: @escaping (Int) throws -> Double) {
        self.name = name
        self.seconds = seconds
    }
}

/// A required ratio between the first contender of a contest, which is this package, and another contender.
struct Gate {
    let other: String
    /// This package must be at least this many times as fast.
    let floor: Double
}

/// The same bytes, decoded by several contenders.
struct Contest {
    let name: String
    let contenders: [Contender]
    let gates: [Gate]

    /// Returns the median of the CPU seconds of decoding once, for each contender.
    ///
    /// The contenders take turns, in a new random order in each round, so that a slow phase of the machine affects all
    /// of them.
    func run(rounds: Int) throws -> [String: Double] {
        // Enough repetitions to take about 40 ms, which is much longer than the clock's resolution.
        let counts = try contenders.map { max(1, Int(0.04 / max(try $0.seconds(2), 1e-6))) }
        var times: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for index in contenders.indices.shuffled() {
                times[contenders[index].name, default: []].append(try contenders[index].seconds(counts[index]))
            }
        }
        return times.mapValues { $0.sorted()[$0.count / 2] }
    }

    /// Returns the gates that don't hold. A gate whose contender isn't available is ignored.
    func failures(_ times: [String: Double]) -> [Gate] {
        gates.filter { gate in
            guard let ours = times[contenders[0].name], let other = times[gate.other] else { return false }
            return other / ours < gate.floor
        }
    }
}
