import Foundation
import Pledge
import PledgeCoding
import PledgeHTTP

/// Processes any number of items. Each item sends a few requests, and the batch keeps to the rate limit of each token.
///
/// ```swift
/// let batch = Batch(accounts) { account in
///     BatchLimit(service: "Exist", token: account.token, requests: ExistAPI.limit)
/// } work: { account, slot in
///     let existAPI = ExistAPI(token: account.token, options: slot.options(ExistAPI.defaultOptions))
///     return when(fulfilled: existAPI.attributes(names: ["steps"], days: 31), existAPI.averages())
/// }
/// for try await (account, result) in batch.results { … }
/// ```
///
/// ``BatchRules/inFlight`` is the number of slots. An item begins when a slot is free, and holds that slot while it
/// works. An item that has to wait gives its slot to another item. Items wait for the rate limit of their token, for a
/// retry, or for a service that is down. When the wait is over, the item continues before new items begin.
///
/// The batch considers a service down when several items in a row have failed because of that service. The batch then
/// sends the service only one request at a time, until the service works again.
///
/// Run a batch with ``run(_:)``, ``run(delivering:)``, ``run(storingIn:by:onFailure:)``, or ``results``. A batch runs
/// only once. A second run rejects with ``BatchError/alreadyRun``.
public final class Batch<Item: Sendable, Value: Sendable>: Sendable {
    let engine: BatchEngine
    private let hasRun = Locked(false)
    private let items: ItemSource<Item>
    private let limit: @Sendable (Item) -> BatchLimit
    private let work: @Sendable (Item, BatchSlot) throws -> Promise<Value>

    /// Creates a batch of the items of a sequence. The batch takes an item from the sequence only when a slot is free,
    /// so the items don't have to fit into memory.
    ///
    /// - Parameters:
    ///   - items: The items to work through.
    ///   - rules: How much the batch may do at a time, and how long it may wait.
    ///   - transport: Sends the requests. If it is nil, the batch creates a `StandardTransport`.
    ///   - clock: The clock that the batch uses for waits. A test can pass a clock that it advances itself.
    ///   - seed: The seed of the batch's random numbers. They vary the waits before retries, and choose the item that
    ///     tests whether a service works again.
    ///   - limit: Returns the rate limit that the requests of an item count toward.
    ///   - work: Begins the work of an item, and returns a promise of the item's result. To let the batch schedule the
    ///     item's requests, create clients with the options that ``BatchSlot/options(_:)`` returns.
    public convenience init<Items: Sequence<Item> & Sendable, U: Thenable<Value>>(
        _ items: Items, rules: BatchRules = BatchRules(), over transport: (any HTTPTransport)? = nil,
        clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        limit: @escaping @Sendable (Item) -> BatchLimit, work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) {
        self.init(itemSource(items), rules, transport, clock, seed, limit) { try work($0, $1)._promise }
    }

    /// Creates a batch of the items of an asynchronous sequence. The parameters are described at the initializer that
    /// takes a `Sequence`.
    public convenience init<Items: AsyncSequence & Sendable, U: Thenable<Value>>(
        _ items: Items, rules: BatchRules = BatchRules(), over transport: (any HTTPTransport)? = nil,
        clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        limit: @escaping @Sendable (Item) -> BatchLimit, work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) where Items.Element == Item {
        self.init(AsyncItems(items).next, rules, transport, clock, seed, limit) { try work($0, $1)._promise }
    }

    private init(
        _ items: @escaping ItemSource<Item>, _ rules: BatchRules, _ transport: (any HTTPTransport)?,
        _ clock: Timekeeper, _ seed: UInt64, _ limit: @escaping @Sendable (Item) -> BatchLimit,
        _ work: @escaping @Sendable (Item, BatchSlot) throws -> Promise<Value>
    ) {
        self.items = items
        self.limit = limit
        self.work = work
        engine = BatchEngine(
            rules, over: transport ?? StandardTransport(requestsInFlight: rules.inFlight), clock: clock, seed: seed)
    }

    /// Works through all items, and hands each result to a closure, which may take its time, for example to store the
    /// result.
    ///
    /// If an item fails, the closure gets the error as the item's result, and the other items go on.
    ///
    /// - Parameter deliver: Called with each item and its result, in the order in which the items finish. The item
    ///   keeps its slot until the promise that `deliver` returns is fulfilled. `deliver` may be called again while
    ///   earlier promises are still pending.
    /// - Rejects: With the first error of `deliver` or of the sequence of items. Such an error ends the batch.
    /// - Cancellation: Stops the batch, as ``stop()`` does.
    public func run<U: Thenable<Void>>(
        delivering deliver: @escaping @Sendable (Item, Result<Value, any Error>) throws -> U
    ) -> Promise<BatchTally> {
        begin { item, _, result in firstly { try deliver(item, result) }.map(on: nil) { result.outcome } }
    }

    private func begin(
        where isWanted: @escaping @Sendable (Item) -> Bool = { _ in true },
        failedBefore: @escaping @Sendable (Item) -> Bool = { _ in false },
        _ deliver:
            @escaping @Sendable (Item, BatchSlot, Result<Value, any Error>) throws -> Promise<BatchItem.Outcome>
    ) -> Promise<BatchTally> {
        let isAgain = hasRun.withLock { hasRun in
            defer { hasRun = true }
            return hasRun
        }
        guard !isAgain else { return Promise(error: BatchError.alreadyRun) }
        let running = engine.run { [items, limit, work] in
            items(isWanted).map(on: nil) { item in
                guard let item else { return nil }
                return BatchItem(limit(item), failedBefore: failedBefore(item)) { slot in
                    slot.expiring(firstly { try work(item, slot) }).settled().then(on: nil) { result in
                        // The batch has given up the item and canceled its work. If the work ignored the cancellation,
                        // it has a result, which is not delivered.
                        if slot.isAbandoned { throw BatchStopped() }
                        if case .failure(let error) = result, error.isCancelled { throw error }
                        return try deliver(item, slot, result)
                    }
                }
            }
        }
        return Promise { seal in
            seal.onCancel { self.engine.stop() }
            seal.follow(running.map(on: nil) { self.engine.tally })
        }
    }

    /// Works through all items, and calls a closure with each result. The closure runs on the default queue, so it
    /// should be quick. If it throws an error, the batch ends and the promise rejects with that error.
    /// ``run(delivering:)`` does the same with a closure that returns a promise.
    public func run(
        _ deliver: @escaping @Sendable (Item, Result<Value, any Error>) throws -> Void
    ) -> Promise<BatchTally> {
        run { item, result in Promise.value(()).done { try deliver(item, result) } }
    }

    /// Works through the items that have no result in a file yet, and stores the value of each item in that file. An
    /// item whose value cannot be encoded counts as failed.
    ///
    /// The file also records for which items the service failed. The next run works on these items after all others. If
    /// they fail again, the run doesn't take that as a sign that the service is down.
    ///
    /// - Parameters:
    ///   - file: The file that has the results of earlier runs, and gets the new ones.
    ///   - key: Returns the key that identifies an item in every run. If several items have the same key, the batch
    ///     works only on the first of them.
    ///   - onFailure: Called with the key and the error of each item that fails.
    /// - Rejects: With ``ResultsFileError`` if the file cannot be written, or with an error of the sequence of items.
    /// - Cancellation: Stops the batch, as ``stop()`` does.
    public func run(
        storingIn file: ResultsFile<Value>, by key: @escaping @Sendable (Item) -> String,
        onFailure: @escaping @Sendable (_ key: String, _ error: any Error) -> Void = { _, _ in }
    ) -> Promise<BatchTally> where Value: Codable {
        let begun = Locked<Set<HashKey>>([])
        let isWanted = { @Sendable (item: Item) in
            let key = key(item)
            return !file.contains(key) && begun.withLock { $0.insert(HashKey(key)).inserted }
        }
        return begin(where: isWanted, failedBefore: { file.hasFailed(key($0)) }) { item, slot, result in
            let key = key(item)
            let isFault = if case .failure = result { slot.isFault } else { false }
            let storing = isFault ? file.noteFailure(of: key) : file.store(result, for: key)
            return storing.settled().map(on: nil) { stored in
                var result = result
                if case .failure(let error) = stored {
                    guard (error as? ResultsFileError)?.isOfValue == true else { throw error }
                    result = .failure(error)
                }
                if case .failure(let error) = result { onFailure(key, error) }
                return result.outcome
            }
        }
    }

    /// Stops the batch. It begins no further items, and gives up the items that wait. Requests in progress still
    /// finish. ``BatchTally/givenUp`` counts the items that were given up.
    public func stop() { engine.stop() }

    /// Whether the batch was stopped, by ``stop()``, by canceling a run, or by an error.
    public var isStopped: Bool { engine.isStopped }

    /// The numbers of results, failures, requests, waits, and outages so far.
    public var tally: BatchTally { engine.tally }

    /// Returns how far the batch is, in total and for each service, and which services are down.
    ///
    /// - Parameter count: The number of all items, or nil if you don't know it. The number of items left and the
    ///   remaining time are known only if you pass it.
    public func progress(of count: Int? = nil) -> BatchProgress { engine.progress(toDo: count) }
}

extension Result where Failure == any Error {
    fileprivate var outcome: BatchItem.Outcome {
        switch self {
        case .success: .done()
        case .failure(let error): .failed(kind: "\(type(of: error))")
        }
    }
}

extension Batch {
    /// The results, each with its item, in the order in which the items finish.
    ///
    /// The batch begins when you ask the sequence for its first element. If you leave the loop early, the batch stops
    /// as soon as nothing retains the sequence.
    ///
    /// An item keeps its slot until your loop takes the item's result. So there are never more waiting results than
    /// slots.
    ///
    /// If an error ends the batch, the sequence throws that error. If the batch was run before, the sequence throws
    /// ``BatchError/alreadyRun``. If two tasks wait for a result at the same time, the sequence throws
    /// ``BatchError/severalConsumers`` in both tasks.
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

        /// Returns the next result. If the promise rejects, the batch is canceled, even if something still retains the
        /// sequence.
        func next() -> Promise<(item: Item, result: Result<Value, any Error>)?> {
            results.take().tap(on: nil) { [run] outcome in if case .failure = outcome { run.cancel() } }
        }

        deinit {
            run.cancel()
            results.end(.success(()))
        }
    }
}

/// A channel without a buffer. Several tasks offer elements, and one task takes them. An offer waits until its element
/// is taken. If two tasks wait for an element at the same time, both tasks get an error, because neither task would get
/// all elements.
private final class RendezvousChannel<Element: Sendable>: Sendable {
    private struct State {
        var offers = FIFO<(element: Element, taken: Resolver<Void>)>()
        var taker: Resolver<Element?>?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// - Returns: A promise that is fulfilled when the element has been taken. The promise rejects if the channel has
    ///   ended.
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

    /// Changes the state under the lock, then releases the lock and settles the promises that the change affects.
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

/// The reason why a batch did not run, why its results could not be read, or why one of its items failed.
public enum BatchError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The batch was run before. It cannot run again, because its sequence of items may already be used up.
    case alreadyRun
    /// Two tasks wait for the next result of ``Batch/results`` at the same time.
    case severalConsumers
    /// The work of an item took longer than ``BatchRules/longestWork`` permits. `seconds` is the permitted time.
    case timedOut(seconds: Double)

    public var errorDescription: String? { description }

    /// A text that says what is wrong and what to do about it.
    public var description: String {
        switch self {
        case .alreadyRun:
            "This batch was run before: create a new one for each run, and read its results in one loop."
        case .severalConsumers:
            "Two tasks read the results of one batch: read them in one task, and pass them on from there."
        case .timedOut(let seconds): "The item was given up: its work took longer than \(NumberText.duration(seconds))."
        }
    }
}
