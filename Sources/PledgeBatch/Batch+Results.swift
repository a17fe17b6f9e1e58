import Pledge

extension Batch {
    /// The results, each with its item, in the order in which the items finish.
    ///
    /// The batch begins with the iteration. Leaving the loop stops it once nothing retains the sequence. An item keeps its
    /// slot until its result is taken, so that no more results wait than there are slots. The sequence throws the error
    /// that ended the batch, if any: ``BatchError/alreadyRun`` if it was run before, and
    /// ``BatchError/severalConsumers``, in each of them, if two tasks wait for a result at once.
    public var results: AsyncThrowingStream<(item: Item, result: Result<Value, any Error>), any Error> {
        let reader = Locked<Reader?>(nil)
        return AsyncThrowingStream {
            let begun = reader.withLock { reader in
                let begun = reader ?? Reader(self)
                reader = begun
                return begun
            }
            return try await begun.next().value
        }
    }

    private final class Reader: Sendable {
        private let results = RendezvousChannel<(item: Item, result: Result<Value, any Error>)>()
        private let run: Promise<Void>

        init(_ batch: Batch) {
            run = batch.run { [results] item, result in results.offer((item, result)) }.asVoid()
            run.pipe { [results] outcome in results.end(outcome) }
        }

        /// An error ends the batch, also while the sequence is retained.
        func next() -> Promise<(item: Item, result: Result<Value, any Error>)?> {
            results.take().tap(on: nil) { [run] outcome in if case .failure = outcome { run.cancel() } }
        }

        deinit {
            run.cancel()
            results.end(.success(()))
        }
    }
}

/// A rendezvous channel: several tasks offer elements to one that takes them, each as it is wanted. If a second one
/// takes them meanwhile, both get an error: neither would have all.
private final class RendezvousChannel<Element: Sendable>: Sendable {
    private struct State {
        var offers = FIFO<(element: Element, taken: Resolver<Void>)>()
        var taker: Resolver<Element?>?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// - Returns: A promise that is fulfilled when the element was taken; it rejects if none are taken any more.
    func offer(_ element: Element) -> Promise<Void> {
        let (promise, taken) = Promise<Void>.pending()
        update { $0.offers.append((element, taken)) }
        return promise
    }

    func take() -> Promise<Element?> {
        let (promise, taker) = Promise<Element?>.pending()
        var isSecond = false
        update { state in
            isSecond = state.taker != nil
            if isSecond {
                state.end = state.end ?? .failure(BatchError.severalConsumers)
            } else {
                state.taker = taker
            }
        }
        if isSecond { taker.reject(BatchError.severalConsumers) }
        return promise
    }

    func end(_ outcome: Result<Void, any Error>) { update { $0.end = $0.end ?? outcome } }

    /// Changes the state under the lock, and then settles promises without it.
    private func update(_ change: (inout State) -> Void) {
        let (refused, taker, offer, end) = state.withLock { state in
            change(&state)
            let refused = state.end == nil ? [] : state.offers.takeAll()
            let offer = state.taker == nil ? nil : state.offers.popFirst()
            return (refused, offer == nil && state.end == nil ? nil : state.taker.take(), offer, state.end)
        }
        for (_, taken) in refused { taken.reject(BatchStopped()) }
        if let offer {
            taker?.fulfill(offer.element)
            offer.taken.fulfill(())
        } else if let end {
            taker?.resolve(end.map { nil })
        }
    }
}
