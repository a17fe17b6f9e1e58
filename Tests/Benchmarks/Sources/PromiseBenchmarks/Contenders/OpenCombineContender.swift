import Dispatch
import OpenCombine
import OpenCombineDispatch

/// OpenCombine's `Future`, one for each hop, because a single chain of a thousand operators overflows the stack.
///
/// A future calls its subscribers in the thread that settles it. At the beginning of a chain, `receive(on:)` moves the
/// work to a queue, as a promise does. After that, the chain runs by recursion.
struct OpenCombineContender: Contender {
    let name = "OpenCombine Future"
    private typealias Safe = Future<Int, Never>
    private let step = Step()
    private let queue = DispatchQueue(label: "benchmark.combine", qos: .userInitiated)
    private let other = DispatchQueue(label: "benchmark.other", qos: .userInitiated)

    func short(_ count: Int) -> Int {
        let countdown = Countdown(count)
        for _ in 0..<count {
            Safe { $0(.success(1)) }.receive(on: queue.ocombine).map { [step] in $0 + step.size }
                .observe { countdown.hit($0) }
        }
        return countdown.wait()
    }

    func maps(_ hops: Int, lanes: Int) -> Int {
        chains(lanes, hops) { [step] previous in
            Future { promise in previous.observe { promise(.success($0 + step.size)) } }
        }
    }

    func thenInside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes, hops) { [step] previous in
            Future { promise in
                previous.observe { value in
                    Safe { $0(.success(value + step.size)) }.observe { promise(.success($0)) }
                }
            }
        }
    }

    func thenOutside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes, hops) { [queue, other] previous in
            Future { promise in
                previous.observe { value in
                    let seal = Seal<Never>()
                    seal.future.receive(on: queue.ocombine).observe { promise(.success($0)) }
                    other.async { seal.settle(.success(value + 1)) }
                }
            }
        }
    }

    func when(_ count: Int, lanes: Int) -> () -> Int {
        let lanes = (0..<lanes).map { _ in (0..<count).map { _ in Seal<Never>() } }
        return {
            let countdown = Countdown(lanes.count)
            for lane in lanes { gather(lane) { countdown.hit($0.reduce(0, +)) } }
            for lane in lanes {
                for (index, seal) in lane.enumerated() { seal.settle(.success(index)) }
            }
            return countdown.wait()
        }
    }

    /// Collects the values of all futures. They arrive in another order than in the list, so each value comes with its
    /// index.
    private func gather(_ seals: [Seal<Never>], _ body: @escaping ([Int]) -> Void) {
        Publishers.Sequence<EnumeratedSequence<[Seal<Never>]>, Never>(sequence: seals.enumerated())
            .flatMap { place, seal in seal.future.map { (place, $0) } }
            .collect()
            .observe { pairs in
                var values = Array(repeating: 0, count: pairs.count)
                for (place, value) in pairs { values[place] = value }
                body(values)
            }
    }

    func handlers(_ count: Int, lanes: Int) -> Int {
        let countdown = Countdown(count * lanes)
        let seals = (0..<lanes).map { _ in Seal<Never>() }
        for seal in seals {
            for _ in 0..<count { seal.future.receive(on: queue.ocombine).observe { countdown.hit($0) } }
        }
        for seal in seals { seal.settle(.success(3)) }
        return countdown.wait()
    }

    func rejection(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        let seals = (0..<lanes).map { _ in Seal<BenchmarkError>() }
        for seal in seals {
            var future = Future { promise in seal.future.receive(on: queue.ocombine).observe(promise) }
            for _ in 0..<hops {
                future = Future { [step, future] promise in
                    future.observe { promise($0.map { $0 + step.size }) }
                }
            }
            future.observe { result in
                if case .failure(let error) = result { countdown.hit(error.code) }
            }
        }
        for seal in seals { seal.settle(.failure(.expected)) }
        return countdown.wait()
    }

    func hold(_ count: Int) -> Held? {
        let countdown = Countdown(count)
        var seals: [Seal<Never>] = []
        seals.reserveCapacity(count)
        for _ in 0..<count {
            let seal = Seal<Never>()
            seal.future.receive(on: queue.ocombine).observe { countdown.hit($0) }
            seals.append(seal)
        }
        return Held { [seals] in
            for seal in seals { seal.settle(.success(1)) }
            _ = countdown.wait()
        }
    }

    /// Returns nil, because a pending chain of this length would overflow the stack when it settles.
    func holdChain(_ hops: Int) -> Held? { nil }

    private func chains(_ lanes: Int, _ hops: Int, _ hop: (Safe) -> Safe) -> Int {
        let countdown = Countdown(lanes)
        let seals = (0..<lanes).map { _ in Seal<Never>() }
        for seal in seals {
            var future = Safe { promise in seal.future.receive(on: queue.ocombine).observe { promise(.success($0)) } }
            for _ in 0..<hops { future = hop(future) }
            future.observe { countdown.hit($0) }
        }
        for seal in seals { seal.settle(.success(0)) }
        return countdown.wait()
    }
}
