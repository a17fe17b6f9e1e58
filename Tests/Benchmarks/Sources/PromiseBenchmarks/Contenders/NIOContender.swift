import Dispatch
import NIOCore
import NIOPosix

/// SwiftNIO's futures on a single event loop. They are used from other threads, and callbacks run on the loop.
struct NIOContender: Contender {
    let name = "NIO EventLoopFuture"
    private let step = Step()
    private let loop: any EventLoop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    private let other = DispatchQueue(label: "benchmark.other", qos: .userInitiated)

    func short(_ count: Int) -> Int {
        let countdown = Countdown(count)
        for _ in 0..<count {
            loop.makeSucceededFuture(1).map { [step] in $0 + step.size }.whenSuccess { countdown.hit($0) }
        }
        return countdown.wait()
    }

    func maps(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var future = head
            for _ in 0..<hops { future = future.map { [step] in $0 + step.size } }
            return future
        }
    }

    func thenInside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var future = head
            for _ in 0..<hops { future = future.flatMap { [loop, step] in loop.makeSucceededFuture($0 + step.size) } }
            return future
        }
    }

    func thenOutside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var future = head
            for _ in 0..<hops {
                future = future.flatMap { [loop, other] value in
                    let promise = loop.makePromise(of: Int.self)
                    other.async { promise.succeed(value + 1) }
                    return promise.futureResult
                }
            }
            return future
        }
    }

    func when(_ count: Int, lanes: Int) -> () -> Int {
        let lanes = (0..<lanes).map { _ in (0..<count).map { _ in loop.makePromise(of: Int.self) } }
        return {
            let countdown = Countdown(lanes.count)
            for lane in lanes {
                EventLoopFuture.whenAllSucceed(lane.map(\.futureResult), on: loop)
                    .whenSuccess { countdown.hit($0.reduce(0, +)) }
            }
            for lane in lanes {
                for (index, promise) in lane.enumerated() { promise.succeed(index) }
            }
            return countdown.wait()
        }
    }

    func handlers(_ count: Int, lanes: Int) -> Int {
        let countdown = Countdown(count * lanes)
        let promises = (0..<lanes).map { _ in loop.makePromise(of: Int.self) }
        for promise in promises {
            for _ in 0..<count { promise.futureResult.whenSuccess { countdown.hit($0) } }
        }
        for promise in promises { promise.succeed(3) }
        return countdown.wait()
    }

    func rejection(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        let promises = (0..<lanes).map { _ in loop.makePromise(of: Int.self) }
        for promise in promises {
            var future = promise.futureResult
            for _ in 0..<hops { future = future.map { [step] in $0 + step.size } }
            future.whenFailure { countdown.hit(($0 as? BenchmarkError)?.code ?? 0) }
        }
        for promise in promises { promise.fail(BenchmarkError.expected) }
        return countdown.wait()
    }

    func hold(_ count: Int) -> Held? {
        let countdown = Countdown(count)
        var promises: [EventLoopPromise<Int>] = []
        promises.reserveCapacity(count)
        for _ in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            promise.futureResult.whenSuccess { countdown.hit($0) }
            promises.append(promise)
        }
        settleLoop()
        return Held { [promises] in
            for promise in promises { promise.succeed(1) }
            _ = countdown.wait()
        }
    }

    func holdChain(_ hops: Int) -> Held? {
        let countdown = Countdown(1)
        let promise = loop.makePromise(of: Int.self)
        var future = promise.futureResult
        for _ in 0..<hops { future = future.map { [step] in $0 + step.size } }
        future.whenSuccess { countdown.hit($0) }
        settleLoop()
        return Held {
            promise.succeed(1)
            _ = countdown.wait()
        }
    }

    /// Waits until the loop has registered what was sent to it.
    private func settleLoop() {
        let registered = Countdown(1)
        loop.execute { registered.hit(0) }
        _ = registered.wait()
    }

    private func chains(_ lanes: Int, _ build: (EventLoopFuture<Int>) -> EventLoopFuture<Int>) -> Int {
        let countdown = Countdown(lanes)
        let promises = (0..<lanes).map { _ in loop.makePromise(of: Int.self) }
        for promise in promises { build(promise.futureResult).whenSuccess { countdown.hit($0) } }
        for promise in promises { promise.succeed(0) }
        return countdown.wait()
    }
}
