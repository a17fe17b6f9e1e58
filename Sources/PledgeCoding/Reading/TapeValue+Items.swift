extension TapeValue {
    /// Decodes the values of a list independently of one another.
    @usableFromInline
    package func items<Item: Decodable & Sendable>(of type: Item.Type) throws(TapeFailure) -> ItemList<Item> {
        func read<Model: Readable>(_ type: Model.Type) throws(TapeFailure) -> ItemList<Item>? {
            try Model.items(of: self) as? ItemList<Item>
        }
        if let readable = type as? any Readable.Type, let list = try read(readable) { return list }
        var result = ItemList<Item>(capacity: count)
        try forEach { (index, item) throws(TapeFailure) in
            do {
                result.items.append(try TapeDecoder(tape: reading.tape, index: item.index).read(type))
            } catch {
                try record(index, in: &result.unreadable) {
                    UnreadableItem.reason(error, below: reading.tape.path(to: item.index).count)
                }
            }
        }
        return result
    }

    /// Records that an item of this list cannot be read, and throws for the list itself if there are too many of them:
    /// sixty thousand bytes can decompress into twenty million items, each of which would be recorded.
    @usableFromInline
    package func record(
        _ index: Int, in unreadable: inout [UnreadableItem], _ reason: () -> String
    ) throws(TapeFailure) {
        guard unreadable.count < UnreadableItem.most else {
            throw failure(.corrupt("more than 10,000 of its items cannot be read"))
        }
        unreadable.add(index, reason)
    }

    /// Returns the reason why this item of a list could not be decoded.
    @usableFromInline package func reason(_ failure: TapeFailure) -> String {
        let tape = reading.tape
        let error = tape.error(failure, at: tape.path(to: failure.index))
        return UnreadableItem.reason(error, below: tape.path(to: index).count)
    }

    /// Remarks on a value that was read though it is not of the promised form. Its list reports the first such remark.
    @usableFromInline package func remark(_ words: StaticString) { reading.state.pointee.remark = words }

    /// Returns the latest remark, and removes it.
    @inline(__always) @inlinable
    package func takeRemark() -> StaticString? { reading.state.pointee.remark.take() }
}
