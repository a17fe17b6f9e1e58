import PledgeCoding

extension ValueType {
    /// Decodes the values by day, according to this type.
    func values(in list: TapeValue) throws(TapeFailure) -> ([Attribute.DayValue], [UnreadableItem]) {
        var (values, unreadable): ([Attribute.DayValue], [UnreadableItem]) = ([], [])
        // Saves a twelfth of the instructions for a month of values.
        values.reserveCapacity(list.count)
        try list.forEach { (index, item) throws(TapeFailure) in
            do throws(TapeFailure) {
                var fields = try item.fields()
                let day = try ExistDay(reading: fields.required("date"))
                var value: AttributeValue?
                if let found = fields.present("value") {
                    do throws(TapeFailure) {
                        value = try self.value(found)
                    } catch {
                        // Keep the day without the value.
                        try list.record(index, in: &unreadable) { item.reason(error) }
                    }
                }
                values.append(Attribute.DayValue(day: day, value: value))
            } catch {
                try list.record(index, in: &unreadable) { item.reason(error) }
            }
            if let remark = list.takeRemark() { unreadable.add(index, remarking: remark) }
        }
        return (values, unreadable)
    }

    /// Decodes a number or text according to this type, or else unchanged: `65` becomes a decimal if the type is
    /// decimal, and `4174.0` an integer if the type is an integer.
    @inline(__always)
    private func value(_ value: TapeValue) throws(TapeFailure) -> AttributeValue {
        if case .unknown = self { return .other(try JSONValue(reading: value)) }
        switch value.kind {
        case .text: return .text(try value.text())
        case .bool: return .integer(try value.bool() ? 1 : 0)
        case .null, .number, .list, .object:
            if self == .float || self == .percentage { return .decimal(try value.double()) }
            switch try value.number() {
            case .whole(let number): return .integer(number)
            case .decimal(let number): return .decimal(number)
            }
        }
    }
}
