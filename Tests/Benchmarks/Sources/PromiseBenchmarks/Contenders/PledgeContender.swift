import Dispatch
import Pledge

/// This package's promises, on their default executor.
struct PledgeContender: Contender {
    let name = "Pledge"
    private let step = Step()
    private let other = DispatchQueue(label: "benchmark.other", qos: .userInitiated)

    func short(_ count: Int) -> Int {
        let countdown = Countdown(count)
        for _ in 0..<count {
            _ = Promise.value(1).map { [step] in $0 + step.size }.done { countdown.hit($0) }
        }
        return countdown.wait()
    }

    func maps(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var promise = head
            for _ in 0..<hops { promise = promise.map { [step] in $0 + step.size } }
            return promise
        }
    }

    func thenInside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var promise = head
            for _ in 0..<hops { promise = promise.then { [step] in Promise.value($0 + step.size) } }
            return promise
        }
    }

    func thenOutside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var promise = head
            for _ in 0..<hops {
                promise = promise.then { [other] value in
                    Promise { seal in other.async { seal.fulfill(value + 1) } }
                }
            }
            return promise
        }
    }

    func when(_ count: Int, lanes: Int) -> () -> Int {
        let pairs = (0..<lanes).map { _ in (0..<count).map { _ in Promise<Int>.pending() } }
        return {
            let countdown = Countdown(lanes)
            for lane in pairs {
                _ = Pledge.when(fulfilled: lane.map(\.promise)).done { countdown.hit($0.reduce(0, +)) }
            }
            for lane in pairs {
                for (index, pair) in lane.enumerated() { pair.resolver.fulfill(index) }
            }
            return countdown.wait()
        }
    }

    func handlers(_ count: Int, lanes: Int) -> Int {
        let countdown = Countdown(count * lanes)
        let pairs = (0..<lanes).map { _ in Promise<Int>.pending() }
        for (promise, _) in pairs {
            for _ in 0..<count { _ = promise.done { countdown.hit($0) } }
        }
        for (_, resolver) in pairs { resolver.fulfill(3) }
        return countdown.wait()
    }

    func rejection(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        let pairs = (0..<lanes).map { _ in Promise<Int>.pending() }
        for (head, _) in pairs {
            var promise = head
            for _ in 0..<hops { promise = promise.map { [step] in $0 + step.size } }
            promise.catch { countdown.hit(($0 as? BenchmarkError)?.code ?? 0) }
        }
        for (_, resolver) in pairs { resolver.reject(BenchmarkError.expected) }
        return countdown.wait()
    }

    func hold(_ count: Int) -> Held? {
        let countdown = Countdown(count)
        var resolvers: [Resolver<Int>] = []
        resolvers.reserveCapacity(count)
        for _ in 0..<count {
            let (promise, resolver) = Promise<Int>.pending()
            _ = promise.done { countdown.hit($0) }
            resolvers.append(resolver)
        }
        return Held { [resolvers] in
            for resolver in resolvers { resolver.fulfill(1) }
            _ = countdown.wait()
        }
    }

    func holdChain(_ hops: Int) -> Held? {
        let countdown = Countdown(1)
        let (head, resolver) = Promise<Int>.pending()
        var promise = head
        for _ in 0..<hops { promise = promise.map { [step] in $0 + step.size } }
        _ = promise.done { countdown.hit($0) }
        return Held {
            resolver.fulfill(1)
            _ = countdown.wait()
        }
    }

    private func chains(_ lanes: Int, _ build: (Promise<Int>) -> Promise<Int>) -> Int {
        let countdown = Countdown(lanes)
        let resolvers = (0..<lanes).map { _ in
            let (head, resolver) = Promise<Int>.pending()
            _ = build(head).done { countdown.hit($0) }
            return resolver
        }
        for resolver in resolvers { resolver.fulfill(0) }
        return countdown.wait()
    }
}
