/// Where in the source code something was called, in twelve bytes: a `StaticString` with a line takes thirty-two, and
/// every resolver has one.
@usableFromInline
struct Place: Sendable {
    // Points to a constant of the program, which ends with a zero.
    private nonisolated(unsafe) let name: UnsafePointer<UInt8>?
    private let number: UInt32

    @usableFromInline
    init(file: StaticString, line: UInt) {
        name = file.hasPointerRepresentation ? file.utf8Start : nil
        number = UInt32(clamping: line)
    }

    var file: String { name.map { String(cString: $0) } ?? "" }
    var line: UInt { UInt(number) }
}
