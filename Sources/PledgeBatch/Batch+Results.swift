import Pledge

extension Batch {
    /// The results, in the order in which the items finish.
    ///
    /// The batch begins with the iteration. An item keeps its slot until its result was taken, so that no more results
    /// wait than may be at work. Leaving the loop stops the batch.
    public var results: Results { Results(batch: self) }

    /// An asynchronous sequence of items with their results; see ``Batch/results``.
    public struct Results: AsyncSequence, Sendable {
        /// An item with its result.
        public typealias Element = (item: Item, result: Result<Value, any Error>)

        fileprivate let batch: Batch

        /// Begins the batch, and returns what takes its results.
        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(batch) }

        /// Takes one result after another.
        public struct AsyncIterator: AsyncIteratorProtocol {
            private let reader: Reader

            fileprivate init(_ batch: Batch) { reader = Reader(batch) }

            /// Returns the next result; nil after the last.
            ///
            /// - Throws: The error that ended the batch, if there was one.
            public mutating func next() async throws -> Element? { try await reader.results.take().value }
        }

        private final class Reader: Sendable {
            let results = Handover<Element>()
            private let run: Promise<Void>

            init(_ batch: Batch) {
                run = batch.run { [results] item, result in results.offer((item, result)) }.asVoid()
                run.pipe { [results] outcome in results.end(outcome) }
            }

            deinit {
                run.cancel()
                results.end(.success(()))
            }
        }
    }
}

/// Hands elements from several tasks to one that takes them, each as it is wanted.
private final class Handover<Element: Sendable>: Sendable {
    private struct State {
        var offers = FIFO<(element: Element, taken: Resolver<Void>)>()
        var taker: Resolver<Element?>?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// - Returns: A promise that is fulfilled when the element was taken; it rejects if none are taken any more.
    func offer(_ element: Element) -> Promise<Void> {
        let (promise, taken) = Promise<Void>.pending()
        let act = state.withLock { state -> @Sendable () -> Void in
            if state.end != nil { return { taken.reject(BatchStopped()) } }
            guard let taker = state.taker.take() else {
                state.offers.append((element, taken))
                return {}
            }
            return {
                taker.fulfill(element)
                taken.fulfill(())
            }
        }
        act()
        return promise
    }

    /// - Returns: A promise for the next element; nil after the end.
    func take() -> Promise<Element?> {
        let (promise, taker) = Promise<Element?>.pending()
        let act = state.withLock { state -> @Sendable () -> Void in
            if let (element, taken) = state.offers.popFirst() {
                return {
                    taker.fulfill(element)
                    taken.fulfill(())
                }
            }
            if let end = state.end { return { taker.resolve(end.map { nil }) } }
            state.taker = taker
            return {}
        }
        act()
        return promise
    }

    func end(_ outcome: Result<Void, any Error>) {
        let (taker, left) = state.withLock { state in
            if state.end == nil { state.end = outcome }
            var left: [Resolver<Void>] = []
            while let (_, taken) = state.offers.popFirst() { left.append(taken) }
            return (state.taker.take(), left)
        }
        taker?.resolve(outcome.map { nil })
        left.forEach { $0.reject(BatchStopped()) }
    }
}
