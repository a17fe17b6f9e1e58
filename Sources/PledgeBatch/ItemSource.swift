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

/// Returns the elements of an asynchronous sequence.
func itemSource<Items: AsyncSequence & Sendable>(_ items: Items) -> ItemSource<Items.Element> {
    // Unsafe: the iterator is used by one task at a time, as the next element is wanted only after the one before.
    nonisolated(unsafe) var iterator = items.makeAsyncIterator()
    return { isWanted in
        Promise {
            while let item = try await iterator.next() {
                if isWanted(item) { return item }
            }
            return nil
        }
    }
}
