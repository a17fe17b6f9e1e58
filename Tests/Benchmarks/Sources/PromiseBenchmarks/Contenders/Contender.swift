import Foundation

/// A way to do work later, with the same work for all: each function returns a sum that is checked.
///
/// They are called from the main thread and block it until the last result is in. Callbacks run on the
/// contender's own executor, and whatever is waited for settles after everything that waits was set up, except in
/// ``short(_:)``.
protocol Contender: Sendable {
    var name: String { get }

    /// Promises that are fulfilled from the start, each with a map and a handler at its end.
    func short(_ count: Int) -> Int
    /// A chain of maps.
    func maps(_ hops: Int, lanes: Int) -> Int
    /// A chain of continuations, each returning a promise that is fulfilled already.
    func thenInside(_ hops: Int, lanes: Int) -> Int
    /// A chain of continuations, each returning a promise that another queue settles.
    func thenOutside(_ hops: Int, lanes: Int) -> Int
    /// Makes many pending promises. What it returns waits for them together, for their values in order, while the
    /// calling thread settles them.
    func when(_ count: Int, lanes: Int) -> () -> Int
    /// Handlers on one promise.
    func handlers(_ count: Int, lanes: Int) -> Int
    /// An error that passes a chain of maps.
    func rejection(_ hops: Int, lanes: Int) -> Int

    /// Makes pending promises with a handler each; nil if the contender has no such thing.
    func hold(_ count: Int) -> Held?
    /// Makes one pending chain of maps.
    func holdChain(_ hops: Int) -> Held?
}

extension Contender {
    /// ``short(_:)`` in several threads at once.
    func threads(_ count: Int, threads: Int) -> Int {
        let countdown = Countdown(threads)
        for _ in 0..<threads {
            Thread.detachNewThread { countdown.hit(short(count)) }
        }
        return countdown.wait()
    }
}
