import Foundation

/// A library for asynchronous work. All contenders do the same work, and each function returns a sum that is checked.
///
/// The functions are called on the main thread, and block it until the last result has arrived. Callbacks run on the
/// contender's own executor. Except in ``short(_:)``, promises are settled only after everything that waits for them
/// was set up.
protocol Contender: Sendable {
    var name: String { get }

    /// Creates promises that are already fulfilled, each with a map and a final handler.
    func short(_ count: Int) -> Int
    /// Runs a chain of maps.
    func maps(_ hops: Int, lanes: Int) -> Int
    /// Runs a chain of continuations, each of which returns a promise that is already fulfilled.
    func thenInside(_ hops: Int, lanes: Int) -> Int
    /// Runs a chain of continuations, each of which returns a promise that another queue settles.
    func thenOutside(_ hops: Int, lanes: Int) -> Int
    /// Creates many pending promises. Returns a closure that begins to wait for all of their values, in the order of
    /// the promises, and then settles the promises.
    func when(_ count: Int, lanes: Int) -> () -> Int
    /// Adds handlers to a single promise.
    func handlers(_ count: Int, lanes: Int) -> Int
    /// Lets an error pass through a chain of maps.
    func rejection(_ hops: Int, lanes: Int) -> Int

    /// Creates pending promises with a handler each. Returns nil if the contender can't do that.
    func hold(_ count: Int) -> Held?
    /// Creates a single pending chain of maps. Returns nil if the contender can't do that.
    func holdChain(_ hops: Int) -> Held?
}

extension Contender {
    /// Runs ``short(_:)`` in several threads at once.
    func threads(_ count: Int, threads: Int) -> Int {
        let countdown = Countdown(threads)
        for _ in 0..<threads {
            Thread.detachNewThread { countdown.hit(short(count)) }
        }
        return countdown.wait()
    }
}
