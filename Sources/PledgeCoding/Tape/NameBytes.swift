/// A name that is the same only if its bytes are, as in JSON: to a `String`, é is é whether written as one scalar or two.
struct NameBytes: Hashable {
    let name: String

    static func == (left: NameBytes, right: NameBytes) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }

    func hash(into hasher: inout Hasher) {
        if name.utf8.withContiguousStorageIfAvailable({ hasher.combine(bytes: UnsafeRawBufferPointer($0)) }) == nil {
            for byte in name.utf8 { hasher.combine(byte) }
        }
    }
}
