/// A part of a value that has no say in whether two are equal, such as how something was written.
///
/// A model that was read equals one that was made by hand.
@propertyWrapper
package struct Uncompared<Value: Sendable>: Sendable, Hashable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (left: Uncompared, right: Uncompared) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}
