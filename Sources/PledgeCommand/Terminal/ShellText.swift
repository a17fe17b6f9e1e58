import Foundation

extension String {
    var quotedForShell: String { "'" + replacingOccurrences(of: "'", with: "'\\''") + "'" }

    /// The text as a word of a shell command, quoted if necessary.
    var shellWord: String {
        let isPlain = unicodeScalars.allSatisfy {
            $0.isASCII && $0.properties.isAlphabetic || "0123456789-_./,=:+@%".unicodeScalars.contains($0)
        }
        return isPlain && !isEmpty ? self : quotedForShell
    }
}
