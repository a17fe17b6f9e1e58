import Foundation

/// Changes to a user's data, for tests of synchronization.
extension ExistSandbox {
    package func setValue(_ value: ServerJSON, of attribute: String, on day: String) {
        guard let day = CalendarDay(day) else { return }
        records.withLock { $0.write(value, of: attribute, on: day) }
    }

    /// Adds an attribute; `valueType` is the service's number for the type.
    package func addAttribute(_ name: String, label: String? = nil, valueType: Int = 0, isLowPriority: Bool = false) {
        let attribute = ExistAttribute(
            name: name, label: label ?? name, group: .custom, priority: isLowPriority ? 10 : 2,
            valueType: ExistValueType(rawValue: valueType) ?? .quantity, manual: true,
            service: ExistService("exist_for_ios"))
        records.withLock { $0.save(attribute) }
    }

    package func removeAttribute(_ name: String) {
        records.withLock { $0.remove(name) }
    }

    package func changeAttribute(_ name: String, label: String? = nil, isActive: Bool? = nil) {
        records.withLock { records in
            guard var attribute = records[name] else { return }
            attribute.label = label ?? attribute.label
            attribute.isActive = isActive ?? attribute.isActive
            records.save(attribute)
        }
    }

    package func move(to zone: TimeZone) {
        clock.move(to: zone)
    }
}
