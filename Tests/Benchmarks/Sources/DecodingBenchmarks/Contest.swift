import Foundation

/// The same bytes, read in two ways that have to find the same.
struct Contest {
    let name: String
    /// How many times as fast ours has to be.
    let floor: Double
    /// Reads the bytes, and gives a sum over what was found.
    let ours: () throws -> Double
    let theirs: () throws -> Double

    struct Result {
        /// Seconds for one reading.
        var ours: Double
        var theirs: Double
        var ratio: Double { theirs / ours }
    }

    /// Takes turns in an order drawn anew each round: what slows the machine for a while slows both.
    func run(rounds: Int) throws -> Result {
        let (one, other) = (try ours(), try theirs())
        precondition(abs(one - other) <= 1e-6 * max(abs(other), 1), "\(name): \(one) and \(other) were read")
        let counts = [try repeats(ours), try repeats(theirs)]
        var times: [[Double]] = [[], []]
        for _ in 0..<rounds {
            for index in [0, 1].shuffled() {
                times[index].append(try seconds(counts[index], index == 0 ? ours : theirs))
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        return Result(ours: medians[0], theirs: medians[1])
    }

    /// As many as take about 40 ms, which is much longer than a clock's step.
    private func repeats(_ read: () throws -> Double) throws -> Int {
        max(1, Int(0.04 / max(try seconds(2, read), 1e-6)))
    }

    /// CPU time of all threads.
    private func seconds(_ count: Int, _ read: () throws -> Double) throws -> Double {
        let before = clock()
        for _ in 0..<count { _ = try read() }
        return Double(clock() - before) / Double(CLOCKS_PER_SEC) / Double(count)
    }
}
