import Pledge
import PledgeTestSupport
import Testing

@Suite("Released by asynchronous code:")
struct AsyncMemoryTests {
    private let cage = Cage()

    @Test("a promise that was awaited", arguments: [true, false])
    func awaited(isFulfilled: Bool) async {
        await awaitPromise(isFulfilled)
        await Wait.until { cage.survivors.isEmpty }
    }

    private func awaitPromise(_ isFulfilled: Bool) async {
        let source = Source(Int.self)
        cage.watch(source.promise, "source")
        let task = Task { [promise = source.promise] in try await promise.value }
        await Task.yield()
        if isFulfilled { source.seal.fulfill(1) } else { source.seal.reject(Fault.one) }
        _ = await task.result
    }

    @Test("the wait of a canceled task, while another handler still waits")
    func cancelled() async {
        let source = Source(Int.self)
        source.promise.pipe { _ in }
        await cancelTask(source.promise)
        await Wait.until { cage.survivors.isEmpty }
        #expect(source.promise.isPending)
    }

    private func cancelTask(_ promise: Promise<Int>) async {
        let canary = cage.canary("captured")
        let task = Task {
            defer { canary.sing() }
            return try await promise.value
        }
        await Task.yield()
        task.cancel()
        _ = await task.result
    }

    @Test("a promise created from asynchronous code, once that has ended", arguments: [true, false])
    func fromAsync(isCancelled: Bool) async {
        await runAsync(isCancelled)
        await Wait.until { cage.survivors.isEmpty }
    }

    private func runAsync(_ isCancelled: Bool) async {
        let canary = cage.canary("captured")
        let promise = Promise { () async throws -> Int in
            canary.sing()
            await Task.yield()
            return 1
        }
        cage.watch(promise, "promise")
        if isCancelled { promise.cancel() }
        _ = await promise.outcome()
    }
}
