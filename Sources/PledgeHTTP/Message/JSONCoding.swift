import Foundation
import PledgeCoding

/// How a service's JSON becomes values, and values become its JSON.
///
/// Whoever reads it, a reply without content, a web page, and JSON that was cut off are told apart first.
public struct JSONCoding: Sendable {
    private let decoder: (@Sendable () -> JSONDecoder)?
    private let encoder: @Sendable () -> JSONEncoder

    /// Names and values as `Codable` has them, read by a reader that is faster than Foundation's.
    public static let plain = JSONCoding(decoder: nil, encoder: { .repeatable })

    /// A property `firstName` stands as `first_name`, and a `Date` as ISO 8601 has it; it is read with or without
    /// fractions of a second, and with any offset.
    public static let snakeCase = JSONCoding(
        decoder: {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            decoder.dateDecodingStrategy = .custom { decoder in
                let container = try decoder.singleValueContainer()
                if let (date, _) = Timestamp.parse(try container.decode(String.self)) { return date }
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "it is not a date and time")
            }
            return decoder
        },
        encoder: {
            let encoder = JSONEncoder.repeatable
            encoder.keyEncodingStrategy = .convertToSnakeCase
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        })

    /// A way of one's own.
    ///
    /// - Parameters:
    ///   - decoder: makes what reads a reply. It gets only replies that are JSON.
    ///   - encoder: makes what writes a body.
    public init(
        decoder: @escaping @Sendable () -> JSONDecoder,
        encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }
    ) {
        self.init(decoder: .some(decoder), encoder: encoder)
    }

    private init(decoder: (@Sendable () -> JSONDecoder)?, encoder: @escaping @Sendable () -> JSONEncoder) {
        self.decoder = decoder
        self.encoder = encoder
    }

    func encode(_ value: some Encodable) throws -> Data { try encoder().encode(value) }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, from reply: HTTPReply) throws -> Value {
        // Foundation's gets only what is JSON, as far as ours can tell.
        let tape = try JSONTape(reply.body)
        return try decoder?().decode(type, from: reply.body) ?? TapeDecoder.decode(type, from: tape)
    }
}

extension HTTPReply {
    /// The body as JSON.
    ///
    /// - Parameters:
    ///   - type: what it is.
    ///   - coding: how it is read.
    /// - Throws: ``UnreadableReply``, or what the type throws.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self, by coding: JSONCoding = .plain) throws -> Value
    {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { throw UnreadableReply.empty }
        guard first != UInt8(ascii: "<") else { throw UnreadableReply.html }
        do {
            return try coding.decode(type, from: self)
        } catch let error as DecodingError {
            throw UnreadableReply(error)
        } catch let problem as JSONTape.Problem {
            throw UnreadableReply(problem)
        }
    }
}

extension JSONEncoder {
    /// Writes the same for the same value, every time: requests can be compared, and a repeated one is the same.
    fileprivate static var repeatable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
