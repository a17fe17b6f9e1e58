// These return nil if the value is missing or null, and accept text for a number and a number for text.
extension TapeFields {
    @inline(__always) @inlinable
    package mutating func text(_ name: StaticString) throws(TapeFailure) -> String? {
        try present(name)?.lenientText()
    }

    @inline(__always) @inlinable
    package mutating func int(_ name: StaticString) throws(TapeFailure) -> Int? { try present(name)?.lenientInt() }

    @inline(__always) @inlinable
    package mutating func double(_ name: StaticString) throws(TapeFailure) -> Double? {
        try present(name)?.lenientDouble()
    }

    @inline(__always) @inlinable
    package mutating func read<Model: Readable>(_ type: Model.Type, _ name: StaticString) throws(TapeFailure) -> Model?
    {
        guard let value = present(name) else { return nil }
        return try Model(reading: value)
    }

    /// Reads an optional value. If it is not of the expected form, it counts as missing, and is recorded.
    @inlinable
    package mutating func optional<Result>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Result
    ) -> Result? {
        guard let value = present(name) else { return nil }
        do throws(TapeFailure) {
            return try read(value)
        } catch {
            value.reading.record(error)
            return nil
        }
    }

    /// Reads an optional Boolean value, which some responses encode as text or as a number; nil for `""`, too.
    @inlinable
    package mutating func flag(_ name: StaticString) -> Bool? {
        let flag = optional(name) { (value) throws(TapeFailure) -> Bool? in
            if case .text = value.kind, try value.text().isEmpty { return nil }
            return try value.lenientBool()
        }
        return flag ?? nil
    }

    /// Reads a token's lifetime in seconds, which may be text: nil if there is none, `otherwise` if it is unreadable.
    package mutating func lifetime(_ name: StaticString, otherwise: Double) -> Double? {
        guard let value = present(name) else { return nil }
        return (try? value.lenientDouble()) ?? otherwise
    }

    /// Reads an optional list: a missing one is empty, and items that cannot be read are left out.
    @inline(__always) @inlinable
    package mutating func lenientList<Item>(
        _ name: StaticString, _ read: (TapeValue) throws(TapeFailure) -> Item
    ) -> [Item] {
        var items: [Item] = []
        guard let list = present(name) else { return items }
        // One allocation instead of one for each power of two: 3 % of a page of correlations.
        if list.kind == .list { items.reserveCapacity(list.count) }
        try? list.forEach { (_, item) throws(TapeFailure) in
            if let item = try? read(item) { items.append(item) }
        }
        return items
    }
}
