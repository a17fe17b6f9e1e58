/// A key that compares and hashes a text byte by byte, as names in JSON are compared.
///
/// Before comparing or hashing, `String` would sort the combining marks of each letter. A service can send a letter
/// with a hundred thousand of them.
package struct ExactText: Hashable, Comparable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: Self, other: Self) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    package static func < (one: Self, other: Self) -> Bool { one.text.utf8.lexicographicallyPrecedes(other.text.utf8) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// A 16-byte hash, such as of an item, a token, or an entry of a list. The same text has another hash in every process,
/// so nobody can choose texts whose hashes collide.
package struct HashKey: Hashable, Sendable {
    package var high: UInt64
    package var low: UInt64

    package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

extension HashKey {
    package static func random() -> HashKey { HashKey(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }

    /// Creates the hash of a name.
    ///
    /// - Parameters:
    ///   - texts: The parts of the name. They are compared byte by byte.
    ///   - value: Another value that distinguishes names with the same texts.
    package init(_ texts: String..., and value: some Hashable = 0) {
        var hasher = Hasher()
        hasher.combine(value)
        for var text in texts {
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            // This byte marks the end of each text, because UTF-8 never contains it. Without the mark, “ab” and “c”
            // would have the same hash as “a” and “bc”.
            hasher.combine(0xFF as UInt8)
        }
        // `longer` provides the other 64 bits of the hash. It hashes one more byte, which UTF-8 never contains, either.
        // So if the first 64 bits of two names happen to be equal, the other 64 bits still differ, because the hashers
        // of the two names have different states before the last byte.
        var longer = hasher
        longer.combine(0xFE as UInt8)
        low = UInt64(truncatingIfNeeded: hasher.finalize())
        high = UInt64(truncatingIfNeeded: longer.finalize())
    }
}

/// Returns the text with at most thirty combining marks in a row, as in Unicode's Stream-Safe Text Format. An invisible
/// joiner interrupts each longer run.
///
/// Comparing or hashing a string sorts the marks of each run, which takes quadratic time, and a service can send a
/// letter with a hundred thousand marks. Therefore, the names in a response are changed when they are read. Values stay
/// unchanged.
package func streamSafe(_ text: String) -> String {
    let longestRun = 30
    // A quick check is enough for most texts. A run of more than thirty marks takes more than sixty bytes, and the
    // UTF-8 encoding of every mark begins with 0xCC or a higher byte.
    guard text.utf8.count > 2 * longestRun, text.utf8.contains(where: { $0 >= 0xCC }) else { return text }
    var safe = String.UnicodeScalarView()
    var marks = 0
    for scalar in text.unicodeScalars {
        let isMark = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
        marks = isMark ? marks + 1 : 0
        if marks > longestRun {
            safe.append("\u{34F}")
            marks = 1
        }
        safe.append(scalar)
    }
    return String(safe)
}

/// Whether a byte is an ASCII letter or digit.
package func isAlphanumeric(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x7A ~= byte | 0x20
}

/// A type that holds sensitive data. `print`, `dump`, and mirrors show only its description.
@usableFromInline package protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    /// A mirror that contains only the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
