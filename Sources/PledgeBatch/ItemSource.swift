import Dispatch
import Pledge

/// The items of a batch, one after another; the next is wanted only when the one before has come.
protocol ItemSource<Item>: Sendable {
    associatedtype Item: Sendable

    /// Returns the next item; nil if none are left.
    func next() -> Promise<Item?>
}

/// The jobs of items.
struct ItemJobs<Items: ItemSource>: BatchSource {
    let items: Items
    let job: @Sendable (Items.Item) -> BatchJob
    private let isStopped = Locked(false)

    init(items: Items, job: @escaping @Sendable (Items.Item) -> BatchJob) {
        (self.items, self.job) = (items, job)
    }

    func next() -> Promise<BatchJob?> {
        if isStopped.withLock({ $0 }) { return .value(nil) }
        return items.next().map(on: nil) { item in isStopped.withLock { $0 } ? nil : item.map(job) }
    }

    func stop() { isStopped.withLock { $0 = true } }
}

/// The elements of a sequence, whose iterator may block.
final class SequenceItems<Items: Sequence & Sendable>: ItemSource, @unchecked Sendable where Items.Element: Sendable {
    // Unchecked: the iterator is only accessed on the queue.
    private let queue = DispatchQueue(label: "pledge.batch.items")
    private lazy var iterator = items.makeIterator()
    private let items: Items

    init(_ items: Items) { self.items = items }

    func next() -> Promise<Items.Element?> {
        queue.async(.promise) { [self] () throws -> Items.Element? in iterator.next() }
    }
}

/// The elements of an asynchronous sequence.
final class AsyncItems<Items: AsyncSequence & Sendable>: ItemSource, @unchecked Sendable
where Items.Element: Sendable {
    // Unchecked: the iterator is used by one task at a time, as the next element is wanted only after the one before.
    private var iterator: Items.AsyncIterator

    init(_ items: Items) { iterator = items.makeAsyncIterator() }

    func next() -> Promise<Items.Element?> { Promise { [self] in try await iterator.next() } }
}
