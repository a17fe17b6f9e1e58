import Foundation
import PledgeCoding

/// The way a service's JSON is encoded and decoded.
///
/// With any decoder, an empty response, a web page, and truncated JSON are detected first and reported as such.
public struct JSONCoding: Sendable {
    private let decoder: (@Sendable () -> JSONDecoder)?
    private let encoder: @Sendable () -> JSONEncoder

    /// The default coding, with the keys and values of `Codable` and a decoder that is faster than Foundation's.
    public static let plain = JSONCoding(decoder: nil, encoder: { .repeatable })

    /// A coding that converts between `firstName` and the key `first_name`, and between `Date` and ISO 8601, which is
    /// decoded with or without fractions of a second and with any time zone offset.
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

    /// Creates a custom coding from Foundation's decoder and encoder.
    ///
    /// - Parameters:
    ///   - decoder: Returns the decoder for responses. It receives only responses that are JSON.
    ///   - encoder: Returns the encoder for request bodies.
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
        // Foundation's decoder receives only JSON, as far as this package's parser can tell.
        let tape = try JSONTape(reply.body)
        return try decoder?().decode(type, from: reply.body) ?? TapeDecoder.decode(type, from: tape)
    }
}

extension HTTPReply {
    /// Decodes the body as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of value to decode.
    ///   - coding: The way JSON is decoded.
    /// - Throws: ``UnreadableReply``, or any other error the type throws while decoding.
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
    /// An encoder with deterministic output, so that requests can be compared and a retried request is identical.
    fileprivate static var repeatable: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}
