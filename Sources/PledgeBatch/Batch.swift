import Foundation
import Pledge
import PledgeHTTP

/// Works through any number of items, each with a few requests, within the limits of their tokens.
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
/// Items are taken as there is room, and each holds a slot while it works. One that has to wait, for the limit of its
/// token, a retry, or a service that is down, gives its slot to another, and continues before new ones begin. A service
/// of which several items in a row get no answer is down: it gets one request at a time until it is back.
///
/// Use a batch once: ``run(_:)``, ``run(delivering:)``, or ``results``.
public final class Batch<Item: Sendable, Value: Sendable>: Sendable {
    typealias Delivery = @Sendable (Item, Result<Value, any Error>) throws -> Promise<BatchJob.Outcome>

    let engine: BatchEngine
    private let delivery: Locked<Delivery?>

    /// Creates a batch of the items of a sequence, which is read as there is room and need not fit into memory.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - rules: What the batch may do at once, and for how long it waits.
    ///   - transport: Sends the requests.
    ///   - clock: Time; tests pass a manual one.
    ///   - seed: Determines the random part of waits before retries.
    ///   - limit: Returns whose limits an item's requests count for.
    ///   - work: Begins the work of an item. Its requests go through the slot: see ``BatchSlot/options(_:)``.
    public convenience init<Items: Sequence<Item> & Sendable, U: Thenable<Value>>(
        _ items: Items, rules: BatchRules = BatchRules(), over transport: (any HTTPTransport)? = nil,
        clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        limit: @escaping @Sendable (Item) -> BatchLimit, work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) {
        self.init(SequenceItems(items), rules, transport, clock, seed, limit, work)
    }

    /// Creates a batch of the items of an asynchronous sequence; see the initializer for sequences.
    public convenience init<Items: AsyncSequence & Sendable, U: Thenable<Value>>(
        _ items: Items, rules: BatchRules = BatchRules(), over transport: (any HTTPTransport)? = nil,
        clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        limit: @escaping @Sendable (Item) -> BatchLimit, work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) where Items.Element == Item {
        self.init(AsyncItems(items), rules, transport, clock, seed, limit, work)
    }

    private init<U: Thenable<Value>>(
        _ items: some ItemSource<Item>, _ rules: BatchRules, _ transport: (any HTTPTransport)?, _ clock: Timekeeper,
        _ seed: UInt64, _ limit: @escaping @Sendable (Item) -> BatchLimit,
        _ work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) {
        let delivery = Locked<Delivery?>(nil)
        let jobs = ItemJobs(items: items) { item in
            let owner = limit(item)
            return BatchJob(owner.service, owner.key, limit: owner.requests, period: owner.period) { slot in
                firstly { try work(item, slot) }.settled().then(on: nil) { result -> Promise<BatchJob.Outcome> in
                    // Nobody hears of an item that was given up: it is left.
                    if slot.isAbandoned { throw BatchStopped() }
                    if case .failure(let error) = result, error.isCancelled { throw error }
                    guard let deliver = delivery.withLock({ $0 }) else { throw BatchStopped() }
                    return try deliver(item, result)
                }
            }
        }
        self.delivery = delivery
        engine = BatchEngine(
            jobs, rules, over: transport ?? StandardTransport(requestsInFlight: rules.inFlight), clock: clock,
            seed: seed)
    }

    /// Works through all items, and waits for what `deliver` does with each result, such as storing it.
    ///
    /// An error of an item is a result, and the others go on.
    ///
    /// - Parameter deliver: Receives each item with its result, in the order in which they finish. An item keeps its
    ///   slot until the promise it returns is fulfilled. Results of several items may be delivered at the same time.
    /// - Returns: A promise for what was done.
    /// - Rejects: With the first error of `deliver` or of the sequence of items, which ends the batch.
    /// - Cancellation: Stops the batch, as ``stop()`` does.
    public func run<U: Thenable<Void>>(
        delivering deliver: @escaping @Sendable (Item, Result<Value, any Error>) throws -> U
    ) -> Promise<BatchTally> {
        run { item, result in firstly { try deliver(item, result) }.map(on: nil) { result.outcome } }
    }

    private func run(_ deliver: @escaping Delivery) -> Promise<BatchTally> {
        delivery.withLock { $0 = deliver }
        let running = engine.run()
        return Promise { seal in
            seal.onCancel { self.engine.stop() }
            running.map(on: nil) { self.engine.tally }.pipe { outcome in
                // It may well have captured the batch.
                _ = self.delivery.withLock { $0.take() }
                seal.resolve(outcome)
            }
        }
    }

    /// Works through all items; see ``run(delivering:)``.
    ///
    /// - Parameter deliver: Receives each item with its result. It runs on the default queue, so it should be quick.
    public func run(
        _ deliver: @escaping @Sendable (Item, Result<Value, any Error>) throws -> Void
    ) -> Promise<BatchTally> {
        run { item, result in Promise.value(()).done { try deliver(item, result) } }
    }

    /// Works through all items, and stores each value in a file.
    ///
    /// A value that cannot be encoded is a failure of its item.
    ///
    /// - Parameters:
    ///   - file: The file. The batch works on items that ``ResultsFile`` says are unfinished.
    ///   - key: Returns the key of an item.
    ///   - onFailure: Called with the key and the error of each item that has failed.
    /// - Returns: A promise for what was done.
    /// - Rejects: With ``ResultsFileError`` if the file cannot be written, or with an error of the sequence of items.
    /// - Cancellation: Stops the batch, as ``stop()`` does.
    public func run(
        storingIn file: ResultsFile<Value>, by key: @escaping @Sendable (Item) -> String,
        onFailure: @escaping @Sendable (_ key: String, _ error: any Error) -> Void = { _, _ in }
    ) -> Promise<BatchTally>
    where Value: Codable {
        run { (item, result) -> Promise<BatchJob.Outcome> in
            let key = key(item)
            return file.store(result, for: key).settled().map(on: nil) { stored in
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

    /// Begins no further items, and gives up those that wait; requests in progress finish. Those that were given up are
    /// counted as ``BatchTally/left``.
    public func stop() { engine.stop() }

    /// Whether the batch was stopped.
    public var isStopped: Bool { engine.isStopped }

    /// What was done so far.
    public var tally: BatchTally { engine.tally }

    /// How far the batch is.
    ///
    /// - Parameter count: The number of items in all; nil if unknown.
    public func progress(of count: Int? = nil) -> BatchProgress { engine.progress(toDo: count) }

    /// What was done so far, by service, and which services are down.
    ///
    /// - Parameter count: The number of items in all; nil if unknown.
    public func figures(of count: Int? = nil) -> BatchFigures { engine.figures(toDo: count) }
}

extension Result where Failure == any Error {
    fileprivate var outcome: BatchJob.Outcome {
        switch self {
        case .success: .done
        case .failure(let error): .failed(kind: "\(type(of: error))")
        }
    }
}

extension BatchLimit {
    var key: HashKey? { token.map { HashKey(service, $0) } }
}
