/// A kind of work of a certain size, which every contender does.
enum Workload: String, CaseIterable, Encodable {
    case short, maps, thenInside, thenOutside, thensOutside, when, whenMany, handlers, rejection, threads

    var title: String {
        switch self {
        case .short: "fulfilled + map + done"
        case .maps: "chain of 1,000 maps"
        case .thenInside: "1,000 `then`, resolved inside"
        case .thenOutside: "1,000 `then`, resolved by another queue"
        case .thensOutside: "4 such chains at once"
        case .when: "`when(fulfilled:)` of 1,000"
        case .whenMany: "`when(fulfilled:)` of 100,000"
        case .handlers: "1,000 handlers on one promise"
        case .rejection: "a rejection through 1,000 hops"
        case .threads: "4 threads, independent promises"
        }
    }

    /// The number of hops or promises in a lane.
    var size: Int {
        self == .whenMany ? 100_000 : 1_000
    }

    /// The number of chains that run at once. Most workloads have several chains, so that the cost of waking the
    /// waiting thread matters little. A chain whose hops wait for another queue is measured alone as well, because each
    /// hop of a single chain wakes a thread.
    var lanes: Int {
        self == .whenMany || self == .thenOutside ? 1 : 4
    }

    /// The number of repetitions for a measurement, which should take some milliseconds.
    var repeats: Int {
        switch self {
        case .whenMany: 1
        default: 5
        }
    }

    /// Returns a closure that does the work once.
    func prepare(_ contender: any Contender) -> () -> Int {
        switch self {
        case .short: { contender.short(size * lanes) }
        case .maps: { contender.maps(size, lanes: lanes) }
        case .thenInside: { contender.thenInside(size, lanes: lanes) }
        case .thenOutside, .thensOutside: { contender.thenOutside(size, lanes: lanes) }
        case .when, .whenMany: contender.when(size, lanes: lanes)
        case .handlers: { contender.handlers(size, lanes: lanes) }
        case .rejection: { contender.rejection(size, lanes: lanes) }
        case .threads: { contender.threads(size, threads: lanes) }
        }
    }

    /// Does the work as often as a measurement needs, and checks the results.
    ///
    /// - Returns: The time for a hop or a promise, in nanoseconds.
    func time(_ contender: any Contender) -> Double {
        let clock = ContinuousClock()
        var total = Duration.zero
        for _ in 0..<repeats {
            let work = prepare(contender)
            var sum = 0
            total += clock.measure { sum = work() }
            precondition(sum == checksum, "\(contender.name) got \(rawValue) wrong.")
        }
        return total / .nanoseconds(size * lanes * repeats)
    }

    /// The sum that the work must return.
    var checksum: Int {
        switch self {
        case .short, .threads: 2 * size * lanes
        case .maps, .thenInside, .thenOutside, .thensOutside: size * lanes
        case .when, .whenMany: (0..<size).reduce(0, +) * lanes
        case .handlers: 3 * size * lanes
        case .rejection: BenchmarkError.expected.code * lanes
        }
    }
}
