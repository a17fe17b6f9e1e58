import Foundation

enum Statistics {
    /// Returns the median, or the mean of the middle two numbers; nil if there are none.
    static func median(_ numbers: [Double]) -> Double? {
        let sorted = numbers.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    struct Relation {
        /// Pearson's correlation coefficient, from −1 to 1.
        let strength: Double
        /// The probability that chance alone produces at least this strength.
        let p: Double
    }

    /// Relates each number of `one` to that `lag` days earlier in `other`; nil for under 30 pairs or a constant series.
    static func relation(of one: [Double], to other: [Double], lag: Int) -> Relation? {
        // Missing values are NaN.
        var (n, sumX, sumY, sumXX, sumYY, sumXY) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for (x, y) in zip(one.dropFirst(lag), other) where !x.isNaN && !y.isNaN {
            n += 1
            sumX += x
            sumY += y
            sumXX += x * x
            sumYY += y * y
            sumXY += x * y
        }
        let spread = (n * sumXX - sumX * sumX) * (n * sumYY - sumY * sumY)
        guard n >= 30, spread > 1e-9 else { return nil }
        let strength = min(1, max(-1, (n * sumXY - sumX * sumY) / spread.squareRoot()))
        // With this many days, Student's t is close to normal.
        let t = abs(strength) * ((n - 2) / max(1e-12, 1 - strength * strength)).squareRoot()
        return Relation(strength: strength, p: erfc(t / 2.0.squareRoot()))
    }
}
