import Foundation
import Pledge

// The code of the article “Recipes”.

final class SerialQueue {
    private var tail = Guarantee()

    func add<T>(_ job: @escaping @Sendable () throws -> Promise<T>) -> Promise<T> {
        let (before, (ended, end)) = (tail, Guarantee<Void>.pending())
        tail = when(guarantees: [before, ended])
        return before.shared().then { try job() }.ensure(on: nil) { end(()) }
    }
}

func fastest<T>(_ promises: [Promise<T>]) -> Promise<T> {
    race(fulfilled: promises).ensure(on: nil) {
        for promise in promises { promise.cancel() }
    }
}

func allOrNone<T>(_ promises: [Promise<T>]) -> Promise<[T]> {
    when(fulfilled: promises).ensure(on: nil) {
        for promise in promises { promise.cancel() }
    }
}

func arrivals<T>(_ promises: [Promise<T>]) -> AsyncStream<Result<T, any Error>> {
    AsyncStream { continuation in
        let taps = promises.map { promise in promise.tap(on: nil) { continuation.yield($0) } }
        let end = when(resolved: taps).done(on: nil) { _ in continuation.finish() }
        continuation.onTermination = { _ in end.cancel() }
    }
}

final class Newest<T: Sendable> {
    private var current: Promise<T>?

    func run(_ request: Promise<T>) -> Promise<T> {
        current?.cancel()
        current = request
        return request
    }
}

final class Shelf<Key: Hashable, T: Sendable> {
    private var kept: [Key: Promise<T>] = [:]

    func value(_ key: Key, load: (Key) -> Promise<T>) -> Promise<T> {
        let promise = kept[key].flatMap { $0.isRejected ? nil : $0 } ?? load(key)
        kept[key] = promise
        return promise.shared()
    }
}

struct Busy: Error {
    let retryAfter: TimeInterval?
}

let obedient = RetryDelay { failures, error in
    (error as? Busy)?.retryAfter ?? min(pow(2, Double(failures)), 60)
}
