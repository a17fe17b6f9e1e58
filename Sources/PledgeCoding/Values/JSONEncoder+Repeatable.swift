import Foundation

extension JSONEncoder {
    /// An encoder with deterministic output, so that equal values are equal bytes.
    package static func repeatable(_ more: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }

    /// Returns a value as JSON text, the same for equal values.
    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try repeatable().encode(value), as: UTF8.self)
    }
}
