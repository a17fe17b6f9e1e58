/// One workload, measured: the time each contender took for one hop or promise.
struct Measurement: Encodable {
    let workload: Workload
    /// By contender; the median and the middle half of all rounds.
    let times: [String: Spread]

    /// How many times as long the first took as the second.
    func ratio(_ contender: any Contender, to other: any Contender) -> Double {
        (times[contender.name]?.median ?? .nan) / (times[other.name]?.median ?? .nan)
    }
}

/// The middle of some numbers.
struct Spread: Encodable {
    let lowerQuartile: Double
    let median: Double
    let upperQuartile: Double

    /// - Parameter values: at least one.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        func at(_ share: Double) -> Double { sorted[Int((Double(sorted.count - 1) * share).rounded())] }
        lowerQuartile = at(0.25)
        median = at(0.5)
        upperQuartile = at(0.75)
    }
}
