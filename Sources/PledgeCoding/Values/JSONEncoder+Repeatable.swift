import Foundation

extension JSONEncoder {
    /// An encoder with deterministic output, so that equal values are equal bytes.
    package static func repeatable(_ more: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
