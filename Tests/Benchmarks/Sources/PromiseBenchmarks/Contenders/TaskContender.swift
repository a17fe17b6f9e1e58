import Dispatch
import Foundation

/// Unstructured tasks: a task for each promise, which awaits the task before it.
///
/// This isn't `await f(x)` within a single task, which is faster than any promise.
struct TaskContender: Contender {
    let name = "unstructured Tasks"
    private let step = Step()
    private let other = DispatchQueue(label: "benchmark.other", qos: .userInitiated)

    func short(_ count: Int) -> Int {
        let countdown = Countdown(count)
        for _ in 0..<count {
            let source = Task { 1 }
            let mapped = Task { [step] in await source.value + step.size }
            Task { countdown.hit(await mapped.value) }
        }
        return countdown.wait()
    }

    func maps(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var task = head
            for _ in 0..<hops { task = Task { [task, step] in await task.value + step.size } }
            return task
        }
    }

    func thenInside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var task = head
            for _ in 0..<hops {
                task = Task { [task, step] in
                    let value = await task.value
                    return await Task { value + step.size }.value
                }
            }
            return task
        }
    }

    func thenOutside(_ hops: Int, lanes: Int) -> Int {
        chains(lanes) { head in
            var task = head
            for _ in 0..<hops {
                task = Task { [task, other] in
                    let value = await task.value
                    return await withUnsafeContinuation { continuation in
                        other.async { continuation.resume(returning: value + 1) }
                    }
                }
            }
            return task
        }
    }

    func when(_ count: Int, lanes: Int) -> () -> Int {
        let lanes = (0..<lanes).map { _ in (0..<count).map { _ in Deferred<Int>() } }
        let tasks = lanes.map { lane in lane.map { deferred in Task { await deferred.value } } }
        return {
            let countdown = Countdown(lanes.count)
            for lane in tasks {
                Task {
                    var values: [Int] = []
                    values.reserveCapacity(lane.count)
                    for task in lane { values.append(await task.value) }
                    countdown.hit(values.reduce(0, +))
                }
            }
            for lane in lanes {
                for (index, deferred) in lane.enumerated() { deferred.deliver(index) }
            }
            return countdown.wait()
        }
    }

    func handlers(_ count: Int, lanes: Int) -> Int {
        let countdown = Countdown(count * lanes)
        let heads = (0..<lanes).map { _ in Deferred<Int>() }
        for head in heads {
            let task = Task { await head.value }
            for _ in 0..<count {
                Task { countdown.hit(await task.value) }
            }
        }
        for head in heads { head.deliver(3) }
        return countdown.wait()
    }

    func rejection(_ hops: Int, lanes: Int) -> Int {
        let countdown = Countdown(lanes)
        let heads = (0..<lanes).map { _ in Deferred<Result<Int, any Error>>() }
        for head in heads {
            var task = Task { try await head.value.get() }
            for _ in 0..<hops { task = Task { [task, step] in try await task.value + step.size } }
            Task { [task] in
                do {
                    countdown.hit(try await task.value)
                } catch {
                    countdown.hit((error as? BenchmarkError)?.code ?? 0)
                }
            }
        }
        for head in heads { head.deliver(.failure(BenchmarkError.expected)) }
        return countdown.wait()
    }

    func hold(_ count: Int) -> Held? {
        let (countdown, started) = (Countdown(count), Countdown(count))
        var heads: [Deferred<Int>] = []
        heads.reserveCapacity(count)
        for _ in 0..<count {
            let head = Deferred<Int>()
            let task = Task { await head.value }
            Task {
                started.hit(0)
                countdown.hit(await task.value)
            }
            heads.append(head)
        }
        settleTasks(started)
        return Held { [heads] in
            for head in heads { head.deliver(1) }
            _ = countdown.wait()
        }
    }

    func holdChain(_ hops: Int) -> Held? {
        let (countdown, started) = (Countdown(1), Countdown(hops))
        let head = Deferred<Int>()
        var task = Task { await head.value }
        for _ in 0..<hops {
            task = Task { [task, step] in
                started.hit(0)
                return await task.value + step.size
            }
        }
        Task { [task] in countdown.hit(await task.value) }
        settleTasks(started)
        return Held {
            head.deliver(1)
            _ = countdown.wait()
        }
    }

    /// Waits until all tasks are waiting. Each task announces itself just before it begins to wait. So this method
    /// sleeps a little after the last announcement.
    private func settleTasks(_ started: Countdown) {
        _ = started.wait()
        Thread.sleep(forTimeInterval: 0.1)
    }

    private func chains(_ lanes: Int, _ build: (Task<Int, Never>) -> Task<Int, Never>) -> Int {
        let countdown = Countdown(lanes)
        let heads = (0..<lanes).map { _ in Deferred<Int>() }
        for head in heads {
            let last = build(Task { await head.value })
            Task { countdown.hit(await last.value) }
        }
        for head in heads { head.deliver(0) }
        return countdown.wait()
    }
}
