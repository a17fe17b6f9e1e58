import Foundation
import Pledge
import PledgeCoding
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
/// An item begins when a slot is free, and holds the slot while it works. If it has to wait for the limit of its token,
/// for a retry, or for a service that is down, it gives its slot to another item. It continues before new items begin.
/// A service is down if several items in a row fail at it. It then gets one request at a time until it is back.
///
/// A batch runs once, with ``run(_:)``, ``run(delivering:)``, or ``results``. A second run rejects with
/// ``BatchError/alreadyRun``.
public final class Batch<Item: Sendable, Value: Sendable>: Sendable {
    let engine: BatchEngine
    private let hasRun = Locked(false)
    private let items: ItemSource<Item>
    private let limit: @Sendable (Item) -> BatchLimit
    private let work: @Sendable (Item, BatchSlot) throws -> Promise<Value>

    /// Creates a batch of the items of a sequence. The sequence is read when a slot is free, so it need not fit into
    /// memory.
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - rules: How much the batch may do at a time, and how long it may wait.
    ///   - transport: Sends the requests.
    ///   - clock: The clock. Tests pass one that they advance themselves.
    ///   - seed: Determines the random part of waits before retries.
    ///   - limit: Returns the limit that an item's requests count toward.
    ///   - work: Begins the work of an item. Its requests go through the slot: see ``BatchSlot/options(_:)``.
    public convenience init<Items: Sequence<Item> & Sendable, U: Thenable<Value>>(
        _ items: Items, rules: BatchRules = BatchRules(), over transport: (any HTTPTransport)? = nil,
        clock: Timekeeper = .live, seed: UInt64 = .random(in: 0 ... .max),
        limit: @escaping @Sendable (Item) -> BatchLimit, work: @escaping @Sendable (Item, BatchSlot) throws -> U
    ) {
        self.init(itemSource(items), rules, transport, clock, seed, limit) { try work($0, $1)._promise }
    }

    /// Creates a batch of the items of an asynchronous sequence. The initializer for sequences has the complete
    /// documentation.
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

    /// Works through all items, and waits for what `deliver` does with each result, such as storing it.
    ///
    /// If an item fails, its error is its result, and the other items go on.
    ///
    /// - Parameter deliver: Receives each item with its result, in the order in which the items finish. An item keeps
    ///   its slot until the promise that `deliver` returns is fulfilled. Several results may be delivered at the same
    ///   time.
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
                    slot.limiting(firstly { try work(item, slot) }).settled().then(on: nil) { result in
                        // The item was given up. It has no result, even if its work ignores the cancellation.
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

    /// Works through all items, as ``run(delivering:)`` does. `deliver` runs on the default queue, so it should be
    /// quick.
    public func run(
        _ deliver: @escaping @Sendable (Item, Result<Value, any Error>) throws -> Void
    ) -> Promise<BatchTally> {
        run { item, result in Promise.value(()).done { try deliver(item, result) } }
    }

    /// Works through the items that have no result in a file, and stores the value of each there. If a value cannot be
    /// encoded, its item fails.
    ///
    /// The file also remembers the items for which the service failed. The next run does these items after all others,
    /// and doesn't take their failures for an outage.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - key: Returns the key of an item, which identifies it in every run. If several items have the same key, only
    ///     the first is done.
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

    /// Begins no further items, and gives up the items that wait. Requests in progress finish. Items that were given up
    /// are counted as ``BatchTally/left``.
    public func stop() { engine.stop() }

    /// Whether the batch was stopped.
    public var isStopped: Bool { engine.isStopped }

    /// The counts of what the batch has done so far.
    public var tally: BatchTally { engine.tally }

    /// Returns how far the batch is, in total and for each service, and which services are down. `count` is the number
    /// of items, if known.
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
    /// The batch begins when the iteration does. If you leave the loop, the batch stops once nothing retains the
    /// sequence. An item keeps its slot until its result is taken, so that no more results wait than there are slots.
    /// If an error ends the batch, the sequence throws it: ``BatchError/alreadyRun`` if the batch was run before, and
    /// ``BatchError/severalConsumers``, in both tasks, if two tasks wait for a result at once.
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

        /// Returns the next result. An error ends the batch, even while the sequence is retained.
        func next() -> Promise<(item: Item, result: Result<Value, any Error>)?> {
            results.take().tap(on: nil) { [run] outcome in if case .failure = outcome { run.cancel() } }
        }

        deinit {
            run.cancel()
            results.end(.success(()))
        }
    }
}

/// A rendezvous channel. Several tasks offer elements, and one task takes them. An offer waits until its element is
/// taken. If a second task takes elements meanwhile, both tasks get an error, because neither would get all elements.
private final class RendezvousChannel<Element: Sendable>: Sendable {
    private struct State {
        var offers = FIFO<(element: Element, taken: Resolver<Void>)>()
        var taker: Resolver<Element?>?
        var end: Result<Void, any Error>?
    }

    private let state = Locked(State())

    /// - Returns: A promise that is fulfilled when the element was taken. It rejects if no more elements are taken.
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

    /// Changes the state under the lock, and then settles promises without the lock.
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

/// The reason why a batch does not run, or why an item of it failed.
public enum BatchError: LocalizedError, Sendable, Equatable, CustomStringConvertible {
    /// The batch was run before, so its items may be used up.
    case alreadyRun
    /// Two tasks wait for the results at once.
    case severalConsumers
    /// The work of an item took longer than ``BatchRules/longestWork``, in seconds.
    case timedOut(seconds: Double)

    public var errorDescription: String? { description }

    /// What is wrong, and what to do.
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

/// The limits on what a batch does at a time, and on how long it waits. Times are in seconds.
public struct BatchRules: Sendable {
    /// The maximum number of items at work. An item that waits for a limit, a retry, or a service is not among them.
    public var inFlight = 16
    /// The maximum number of requests of the whole batch in an hour. They are sent at even intervals. Nil for no
    /// maximum.
    public var totalRate: Int?
    /// The maximum total time that an item may wait for limits, even if a service asks for more. If a request would
    /// exceed it, that request rejects with an `ExchangeError` for the reason `limited`.
    public var longestWait = 3600.0
    /// The time to wait for a service that is down, before the items that need it are given up.
    public var outageWait = 900.0
    /// The time to wait after a 429 that does not specify how long to wait.
    public var limitDelay = 900.0
    /// The maximum time that an item may be at work, in seconds; nil for no maximum. The time in which the item waits
    /// for a limit, a retry, or a service that is down does not count. An item that exceeds the maximum fails with
    /// ``BatchError/timedOut(seconds:)``.
    public var longestWork: Double?
    /// The maximum number of attempts of a request that fails.
    public var attempts = 5
    /// The number of items that must fail one after another before a service is considered down. An item that failed
    /// before isn't counted if the service has answered other items since, or if the item failed in the previous run.
    public var suspects = 5
    /// The number of waiting items from which on the batch takes no more items.
    public var mostParked = 10_000

    /// Creates the default rules.
    public init() {}

    /// The rule for retries. An item has time, so only ``longestWait`` determines how often it may be limited.
    package var retry: RetryRule {
        var rule = RetryRule(
            attempts: attempts, longestWait: longestWait, statuses: Diagnosis.passingStatuses, limitDelay: limitDelay)
        rule.countsLimits = false
        return rule
    }
}

/// The limit that a request counts toward.
public struct BatchLimit: Sendable {
    /// The name of the service. An outage affects all items whose service has the same name.
    public var service: String
    /// A text that identifies whoever has the limit, such as a token. The batch only keeps a hash of the text. Nil if
    /// the item shares its limit with no other.
    public var token: String?
    /// The number of requests in a period, at least 1; nil if the service announces its limit.
    public var requests: Int?
    /// The period of the limit, in seconds. The services of a batch may have different periods.
    public var period = 3600.0

    /// Creates the limit of an item's requests. The parameters are the properties with the same names.
    public init(service: String, token: String? = nil, requests: Int? = nil, period: Double = 3600) {
        self.service = service
        self.token = token
        self.requests = requests
        self.period = period
    }
}

extension BatchLimit: Redacted {
    /// The name of the service, without the token.
    public var description: String { "BatchLimit(\(service))" }
}
