import Foundation

/// What happens to a user's data while nobody looks, for tests of what keeps up with it.
extension ExistSandbox {
    /// A value arrives, late or not, or takes the place of another; `.null` takes it away.
    package func setValue(_ value: SandboxJSON, of attribute: String, on day: String) {
        guard let day = CalendarDay(day) else { return }
        records.withLock { $0.write(value, of: attribute, on: day) }
    }

    /// The user has a new attribute, of the service's number for a type.
    package func addAttribute(_ name: String, label: String? = nil, valueType: Int = 0, isLowPriority: Bool = false) {
        var attribute = ExistAttribute(
            name: name, label: label ?? name, group: .custom,
            valueType: ExistValueType(rawValue: valueType) ?? .quantity,
            manual: true, service: ExistService("exist_for_ios"))
        if isLowPriority { attribute.priority = 10 }
        records.withLock { $0.save(attribute) }
    }

    /// The user no longer has an attribute, nor its values.
    package func removeAttribute(_ name: String) {
        records.withLock { $0.remove(name) }
    }

    /// An attribute is called something else, or goes out of use or into it again.
    package func changeAttribute(_ name: String, label: String? = nil, isActive: Bool? = nil) {
        records.withLock { records in
            guard var attribute = records[name] else { return }
            attribute.label = label ?? attribute.label
            attribute.isActive = isActive ?? attribute.isActive
            records.save(attribute)
        }
    }

    /// The user flies elsewhere.
    package func move(to zone: TimeZone) {
        clock.move(to: zone)
    }
}
