/// A part of a value that is ignored when comparing and hashing, such as how something was written, so that a decoded
/// model equals one created with the same values in code.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (left: Uncompared, right: Uncompared) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Uncompared: Encodable where Value: Encodable {}
