import Pledge

extension ResultsFile {
    /// Returns the items that have no result: those that a job has to work on.
    ///
    /// - Parameters:
    ///   - items: The items of the whole job.
    ///   - key: Returns the key of an item, which identifies it in every run. Of several items with one key, only the first
    ///     counts.
    public func unfinished<Items: Sequence & Sendable>(
        _ items: Items, by key: @escaping @Sendable (Items.Element) -> String
    ) -> UnfinishedItems<Items, Items.Element> {
        UnfinishedItems(items: items, key: key, isFinished: contains)
    }

    /// Returns the items that have no result, of an asynchronous sequence.
    ///
    /// - Parameters:
    ///   - items: The items of the whole job.
    ///   - key: Returns the key of an item, which identifies it in every run. Of several items with one key, only the first
    ///     counts.
    public func unfinished<Items: AsyncSequence & Sendable>(
        _ items: Items, by key: @escaping @Sendable (Items.Element) -> String
    ) -> UnfinishedItems<Items, Items.Element> {
        UnfinishedItems(items: items, key: key, isFinished: contains)
    }
}

/// The items of a job that have no result yet; see ``ResultsFile``.
public struct UnfinishedItems<Items: Sendable, Element>: Sendable {
    fileprivate let items: Items
    fileprivate let key: @Sendable (Element) -> String
    fileprivate let isFinished: @Sendable (String) -> Bool

    /// Passes on the items that have no result at that time.
    public struct ItemIterator<Base> {
        fileprivate var base: Base
        fileprivate let items: UnfinishedItems
        fileprivate var begun: Set<HashKey> = []

        fileprivate mutating func isWanted(_ item: Element) -> Bool {
            let key = items.key(item)
            return !items.isFinished(key) && begun.insert(HashKey(key)).inserted
        }
    }
}

extension UnfinishedItems: Sequence where Items: Sequence, Items.Element == Element {
    /// Returns an iterator, which looks for results as it goes.
    public func makeIterator() -> ItemIterator<Items.Iterator> { ItemIterator(base: items.makeIterator(), items: self) }
}

extension UnfinishedItems.ItemIterator: IteratorProtocol where Base: IteratorProtocol, Base.Element == Element {
    /// Returns the next item that has no result.
    public mutating func next() -> Element? {
        while let item = base.next() {
            if isWanted(item) { return item }
        }
        return nil
    }
}

extension UnfinishedItems: AsyncSequence where Items: AsyncSequence, Items.Element == Element {
    /// Returns an iterator, which looks for results as it goes.
    public func makeAsyncIterator() -> ItemIterator<Items.AsyncIterator> {
        ItemIterator(base: items.makeAsyncIterator(), items: self)
    }
}

extension UnfinishedItems.ItemIterator: AsyncIteratorProtocol
where Base: AsyncIteratorProtocol, Base.Element == Element {
    /// Returns the next item that has no result.
    public mutating func next() async throws -> Element? {
        while let item = try await base.next() {
            if isWanted(item) { return item }
        }
        return nil
    }
}
