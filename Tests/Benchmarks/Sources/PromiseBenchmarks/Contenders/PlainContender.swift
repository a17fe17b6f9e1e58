import Dispatch

/// No promises, but a handwritten `DispatchQueue.async` for each hop. This is the baseline: what hops cost without a
/// library.
struct PlainContender: Contender {
    let name = "plain queue.async"
    private let queue = DispatchQueue(label: "benchmark.plain", qos: .userInitiated)
    private let other = DispatchQueue(label: "benchmark.other", qos: .userInitiated)

    func short(_ count: Int) -> Int {
        let countdown = Countdown(count)
        for _ in 0..<count {
            queue.async { [queue] in
                let value = 1 + 1
                queue.async { countdown.hit(value) }
            }
        }
        return countdown.wait()
    }

    func maps(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        for _ in 0..<lanes { Self.hop(0, hops, queue, countdown) }
        return countdown.wait()
    }

    private static func hop(_ value: Int, _ hops: Int, _ queue: DispatchQueue, _ countdown: Countdown) {
        queue.async {
            let value = value + 1
            if value == hops {
                countdown.hit(value)
            } else {
                hop(value, hops, queue, countdown)
            }
        }
    }

    func thenInside(_ hops: Int, lanes: Int) -> Int {
        maps(hops, lanes: lanes)
    }

    func thenOutside(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        for _ in 0..<lanes { Self.swing(0, hops, queue, other, countdown) }
        return countdown.wait()
    }

    private static func swing(
        _ value: Int, _ hops: Int, _ queue: DispatchQueue, _ other: DispatchQueue, _ countdown: Countdown
    ) {
        queue.async {
            if value == hops { return countdown.hit(value) }
            other.async { swing(value + 1, hops, queue, other, countdown) }
        }
    }

    func when(_ count: Int, lanes: Int) -> () -> Int {
        let gathers = (0..<lanes).map { _ in Gather(count) }
        return {
            let countdown = Countdown(lanes)
            for gather in gathers {
                for index in 0..<count {
                    queue.async {
                        if let values = gather.take(index, at: index) { countdown.hit(values.reduce(0, +)) }
                    }
                }
            }
            return countdown.wait()
        }
    }

    func handlers(_ count: Int, lanes: Int) -> Int {
        let countdown = Countdown(count * lanes)
        for _ in 0..<lanes {
            for _ in 0..<count {
                queue.async { countdown.hit(3) }
            }
        }
        return countdown.wait()
    }

    func rejection(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        for _ in 0..<lanes { Self.pass(.failure(.expected), hops, queue, countdown) }
        return countdown.wait()
    }

    private static func pass(
        _ result: Result<Int, BenchmarkError>, _ hops: Int, _ queue: DispatchQueue, _ countdown: Countdown
    ) {
        queue.async {
            let next = result.map { $0 + 1 }
            if hops > 0 {
                pass(next, hops - 1, queue, countdown)
            } else if case .failure(let error) = next {
                countdown.hit(error.code)
            }
        }
    }

    func hold(_ count: Int) -> Held? { nil }

    func holdChain(_ hops: Int) -> Held? { nil }

    /// Collects values on one serial queue.
    private final class Gather: @unchecked Sendable {
        // Unchecked: touched only on the serial queue.
        private var values: [Int]
        private var missing: Int

        init(_ count: Int) {
            values = Array(repeating: 0, count: count)
            missing = count
        }

        /// Stores a value. Returns all values if this was the last one, and nil otherwise.
        func take(_ value: Int, at index: Int) -> [Int]? {
            values[index] = value
            missing -= 1
            return missing == 0 ? values : nil
        }
    }
}
