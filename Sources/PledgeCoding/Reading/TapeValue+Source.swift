extension TapeValue: ValueSource {
    @inline(__always) @inlinable package var kind: ValueKind {
        switch token.kind {
        case .null: .null
        case .true, .false: .bool
        case .integer, .decimal: .number
        case .string, .escapedString: .text
        case .array: .list
        case .object: .object
        }
    }

    @usableFromInline package func number() throws(TapeFailure) -> WholeOrDecimal {
        let token = token
        if token.kind == .integer, let number: Int = JSONNumber.integer(memory.text(token)) { return .whole(number) }
        let number = try double()
        // `4174.0` is a whole number; an integer that is too large for an `Int` becomes a decimal.
        return token.kind == .decimal ? Int(exactly: number).map { .whole($0) } ?? .decimal(number) : .decimal(number)
    }

    @usableFromInline
    package func items<Item: Decodable & Sendable>(of type: Item.Type) throws(TapeFailure) -> ItemList<Item> {
        func read<Model: Readable>(_ type: Model.Type) throws(TapeFailure) -> ItemList<Item>? {
            try Model.items(tape: self) as? ItemList<Item>
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

    @usableFromInline package func remark(_ words: StaticString) { reading.state.pointee.remark = words }

    @inline(__always) @inlinable
    package func takeRemark() -> StaticString? { reading.state.pointee.remark.take() }
    @usableFromInline package func note(_ failure: TapeFailure) { reading.note(failure) }

    @usableFromInline package func reason(_ failure: TapeFailure) -> String {
        UnreadableItem.reason(reading.tape.error(failure, at: path(to: failure.index)), below: 0)
    }
}

extension TapeFields: FieldSource {
    @usableFromInline package func missing(_ name: StaticString) -> TapeFailure { object.failure(.missing(name)) }

    @usableFromInline
    package func forEach(_ body: (String, TapeValue) throws(TapeFailure) -> Void) throws(TapeFailure) {
        let (count, memory) = (object.count, object.memory)
        var known: Set<ExactText> = []
        var key = object.index + 1
        for _ in 0..<count {
            let name = try TapeValue(object.reading, key).repeatedText()
            // Usually there are so few members that it is quicker to compare with all earlier ones.
            let isFirst = count > 8 ? known.insert(ExactText(name)).inserted : !isBefore(key, name)
            if isFirst { try body(streamSafe(name), TapeValue(object.reading, key + 1)) }
            key = memory.next(after: key + 1)
        }
    }

    private func isBefore(_ end: Int, _ name: String) -> Bool {
        let memory = object.memory
        let last = memory.token(end)
        var key = object.index + 1
        while key < end {
            let token = memory.token(key)
            if token.kind == .string, last.kind == .string {
                if token.word == last.word, memory.isSame(token, as: memory.text(last)) { return true }
            } else if object.reading.tape.text(at: key).utf8.elementsEqual(name.utf8) {
                return true
            }
            key = memory.next(after: key + 1)
        }
        return false
    }
}
