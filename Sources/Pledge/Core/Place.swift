/// Where in the source code something was called, in twelve bytes: a `StaticString` with a line takes thirty-two, and
/// every resolver has one.
@usableFromInline
struct Place: Sendable {
    private nonisolated(unsafe) let name: UnsafePointer<UInt8>?
    // Unsafe: it points to a constant of the program, which never goes, and ends with a zero.
    private let number: UInt32

    @usableFromInline
    init(file: StaticString, line: UInt) {
        name = file.hasPointerRepresentation ? file.utf8Start : nil
        number = UInt32(clamping: line)
    }

    var file: String { name.map { String(cString: $0) } ?? "" }
    var line: UInt { UInt(number) }
}
