import Dispatch
import Pledge

/// Returns the next item that satisfies `isWanted`; nil if none is left. The next call waits for the promise to settle.
typealias ItemSource<Item: Sendable> = @Sendable (_ isWanted: @escaping @Sendable (Item) -> Bool) -> Promise<Item?>

/// The elements of a sequence, whose iterator may block.
final class SequenceItems<Items: Sequence & Sendable>: @unchecked Sendable where Items.Element: Sendable {
    // Unchecked: the iterator is only accessed on the queue.
    private let queue = DispatchQueue(label: "pledge.batch.items")
    private lazy var iterator = items.makeIterator()
    private let items: Items

    init(_ items: Items) { self.items = items }

    func next(_ isWanted: @escaping @Sendable (Items.Element) -> Bool) -> Promise<Items.Element?> {
        queue.async(.promise) { [self] () throws -> Items.Element? in
            while let item = iterator.next() {
                if isWanted(item) { return item }
            }
            return nil
        }
    }
}

/// The elements of an asynchronous sequence.
final class AsyncItems<Items: AsyncSequence & Sendable>: @unchecked Sendable where Items.Element: Sendable {
    // Unchecked: the iterator is used by one task at a time, as the next element is wanted only after the one before.
    private var iterator: Items.AsyncIterator

    init(_ items: Items) { iterator = items.makeAsyncIterator() }

    func next(_ isWanted: @escaping @Sendable (Items.Element) -> Bool) -> Promise<Items.Element?> {
        Promise { [self] in
            while let item = try await iterator.next() {
                if isWanted(item) { return item }
            }
            return nil
        }
    }
}
