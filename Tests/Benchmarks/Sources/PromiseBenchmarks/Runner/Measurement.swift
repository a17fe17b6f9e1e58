/// The measurement of a workload: the time that each contender took for a hop or a promise.
struct Measurement: Encodable {
    let workload: Workload
    /// For each contender, the median and the middle half of the times of all rounds.
    let times: [String: Spread]

    /// Returns the time of the first contender as a multiple of the time of the second.
    func ratio(_ contender: any Contender, to other: any Contender) -> Double {
        (times[contender.name]?.median ?? .nan) / (times[other.name]?.median ?? .nan)
    }
}

/// The median and the quartiles of some numbers.
struct Spread: Encodable {
    let lowerQuartile: Double
    let median: Double
    let upperQuartile: Double

    /// - Parameter values: At least one number.
    init(_ values: [Double]) {
        let sorted = values.sorted()
        func at(_ share: Double) -> Double { sorted[Int((Double(sorted.count - 1) * share).rounded())] }
        lowerQuartile = at(0.25)
        median = at(0.5)
        upperQuartile = at(0.75)
    }
}
