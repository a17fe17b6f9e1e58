/// Content that cannot be searched for texts, because it is compressed or encrypted.
package enum OpaqueContent {
    case compressed, encrypted

    /// Detects compressed or encrypted content by its first bytes. Returns nil for all other content, such as text
    /// and SQLite files.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let archives: [[UInt8]] = [
            [0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], Array("BZh".utf8),
            [0x50, 0x4B, 3, 4], [0x04, 0x22, 0x4D, 0x18], [0x37, 0x7A, 0xBC, 0xAF],
        ]
        let messages = ["-----BEGIN PGP", "-----BEGIN AGE", "age-encryption.org/", "Salted__"].map {
            Array($0.utf8)
        }
        if archives.contains(where: bytes.starts) {
            self = .compressed
        } else if messages.contains(where: bytes.starts) {
            self = .encrypted
        } else {
            return nil
        }
    }
}
