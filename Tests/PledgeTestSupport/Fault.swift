/// An error for use in tests.
package struct Fault: Error, Equatable, CustomStringConvertible {
    package let name: String

    package init(_ name: String) { self.name = name }

    package static let one = Fault("one")
    package static let two = Fault("two")

    package var description: String { name }
}

/// A second error type for tests.
package struct OtherFault: Error, Equatable {
    package init() {}
}
