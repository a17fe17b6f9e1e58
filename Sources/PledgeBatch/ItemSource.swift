import Dispatch
import Pledge

/// Returns the next item that satisfies `isWanted`; nil if none is left. The next call waits for the promise to settle.
typealias ItemSource<Item: Sendable> = @Sendable (_ isWanted: @escaping @Sendable (Item) -> Bool) -> Promise<Item?>

/// Returns the elements of a sequence, whose iterator may block.
func itemSource<Items: Sequence & Sendable>(_ items: Items) -> ItemSource<Items.Element> {
    let queue = DispatchQueue(label: "pledge.batch.items")
    let iterator = Locked<Items.Iterator?>(nil)
    return { isWanted in
        queue.async(.promise) {
            iterator.withLock { iterator in
                var next = iterator.take() ?? items.makeIterator()
                defer { iterator = next }
                while let item = next.next() {
                    if isWanted(item) { return item }
                }
                return nil
            }
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
