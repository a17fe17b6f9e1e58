import Dispatch
@testable import Pledge
import PledgeTestSupport

extension ScheduleProgram {
    private typealias Outcomes = Recorder<Result<Int, any Error>>

    /// Programs with tasks and threads that wait for promises.
    static let waiting = beginnings + canceledTasks + [meeting]

    /// Ways to settle or cancel a source.
    private static let endings: [@Sendable (Source<Int>) -> Void] = [
        { $0.seal.fulfill(1) }, { $0.seal.reject(Fault.one) }, { $0.promise.cancel() },
    ]

    private static let awaiting: [@Sendable (Promise<Int>) async throws -> Int] = [
        { try await $0.value }, { promise in try await Promise { try await promise.map { $0 }.value }.value },
    ]

    private static let blocking: [@Sendable (Promise<Int>) throws -> Int] = [
        { try $0.wait() }, { try $0.wait(timeout: 0) },
    ]

    private static let waiters: [@Sendable (Promise<Int>, Outcomes) -> Void] =
        awaiting.map { wait in { @Sendable in _ = task(wait, $0, $1) } }
        + blocking.map { wait in { @Sendable promise, outcomes in outcomes.append(Result { try wait(promise) }) } }

    private static func task(
        _ wait: @escaping @Sendable (Promise<Int>) async throws -> Int, _ promise: Promise<Int>, _ outcomes: Outcomes
    ) -> Task<Void, Never> {
        Task {
            do { outcomes.append(.success(try await wait(promise))) } catch { outcomes.append(.failure(error)) }
        }
    }

    private static let beginnings = waiters.flatMap { wait in
        endings.map { end in
            Self("a task or thread that waits has the outcome, or leaves an error to be reported") { schedule in
                let outcomes = Outcomes()
                var settled = ""
                do {
                    let source = Source(Int.self)
                    schedule.run([{ end(source) }, { wait(source.promise, outcomes) }])
                    guard source.promise._handlerCount == 0 else { return false }
                    settled = source.promise._peekedResult.map { "\($0)" } ?? ""
                }
                let outcome = outcomes.all.map { "\($0)" }
                let isReported = !LogCapture.shared.unhandled(Fault.one).isEmpty
                let isLeft = outcome == ["\(Result<Int, any Error>.failure(PromiseError.timedOut(seconds: 0)))"]
                return (isLeft || outcome == [settled]) && isReported == (isLeft && settled.contains("one"))
            }
        }
    }

    private static let canceledTasks = awaiting.flatMap { wait in
        (endings + [{ _ in }]).flatMap { end in
            [true, false].map { isShared in
                Self("a task that is canceled cancels what it waits for, unless others do") { schedule in
                    let (source, outcomes) = (Source(Int.self), Outcomes())
                    let other = isShared ? source.promise.map { $0 } : nil
                    let task = task(wait, source.promise, outcomes)
                    schedule.drain()
                    schedule.run([{ end(source) }], cancel: { task.cancel() })
                    // The task has the outcome of the source, or fails because the task itself was canceled.
                    let either = [source.promise._peekedResult, .failure(CancellationError())].compactMap { $0 }
                    return outcomes.count == 1 && either.contains { "\($0)" == "\(outcomes.all[0])" }
                        && source.promise._handlerCount == (source.promise.isPending ? 1 : 0)
                        && source.stopCount == (source.promise.error?.isCancelled == true ? 1 : 0)
                        && (isShared ? other?.isPending == source.promise.isPending : source.promise.isResolved)
                }
            }
        }
    }

    private static let meeting = Self("a handler on a concurrent queue may wait for another of the same promise") {
        schedule in
        let (source, queue, met) = (Source(Int.self), DispatchQueue(label: Schedule.concurrent), Counter())
        let other = Promise<Void>.pending()
        source.promise.done(on: queue) { _ in
            try other.promise.wait()
            met.increment()
        }.cauterize()
        source.promise.done(on: queue) { _ in other.resolver.fulfill(()) }.cauterize()
        schedule.run([{ source.seal.fulfill(1) }])
        return met.value == 1
    }
}
