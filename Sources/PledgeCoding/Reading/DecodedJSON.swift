import Foundation

/// The value of any other decoder, such as one for property lists or Foundation's for JSON, as JSON that can be read.
struct DecodedJSON: Decodable {
    let text: String

    /// Tries one kind after another, because decoders do not report them.
    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: TapeKey.self) {
            let members = try object.allKeys.map { key in
                let value = try object.decodeNil(forKey: key) ? "null" : object.decode(Self.self, forKey: key).text
                return try "\(JSONEncoder.text(key.stringValue)):\(value)"
            }
            text = "{\(members.joined(separator: ","))}"
        } else if var list = try? decoder.unkeyedContainer() {
            var items: [String] = []
            while !list.isAtEnd { items.append(try list.decodeNil() ? "null" : list.decode(Self.self).text) }
            text = "[\(items.joined(separator: ","))]"
        } else {
            text = try Self.scalar(decoder.singleValueContainer())
        }
    }

    private static func scalar(_ value: any SingleValueDecodingContainer) throws -> String {
        if value.decodeNil() { return "null" }
        if let text = try? value.decode(String.self) { return try JSONEncoder.text(text) }
        if let flag = try? value.decode(Bool.self) { return "\(flag)" }
        let double: Double
        do {
            // Before an `Int`, because Foundation decodes `1e-400` as the integer 0.
            double = try value.decode(Double.self)
        } catch {
            if case DecodingError.typeMismatch = error { throw error }
            // A number that no Swift type can hold is an error where it is read.
            return "1e999"
        }
        let digits = (try? value.decode(Decimal.self)).map { "\($0)" } ?? ""
        return Double(digits) == double ? digits : "\(double)"
    }
}
