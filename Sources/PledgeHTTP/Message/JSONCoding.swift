import Foundation
import PledgeCoding

/// The way in which a service's JSON is encoded and decoded.
///
/// An empty response, a web page, and truncated JSON are detected before decoding, and reported as such. This does not
/// depend on the decoder.
public struct JSONCoding: Sendable {
    private let style: JSONTape.Style
    /// Creates one of Foundation's decoders. If the closure is nil, this package's own decoder is used, with `style`.
    private let decoder: (@Sendable () -> JSONDecoder)?
    private let encoder: @Sendable () -> JSONEncoder
    private var note: (@Sendable (UnreadableItem) -> Void)?

    private init(
        style: JSONTape.Style, decoder: (@Sendable () -> JSONDecoder)?, encoder: @escaping @Sendable () -> JSONEncoder
    ) {
        self.style = style
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Returns a coding that reports each field that could not be decoded. Such a field counts as missing.
    func noting(_ note: @escaping @Sendable (UnreadableItem) -> Void) -> JSONCoding {
        var coding = self
        coding.note = note
        return coding
    }

    /// The default coding. It uses the keys and values of `Codable`, and a decoder that is faster than Foundation's.
    public static let plain = JSONCoding(style: .plain, decoder: nil, encoder: { .repeatable() })

    /// A coding that converts between `attachmentID` and the key `attachment_id`, and between `Date` and ISO 8601.
    /// Dates are decoded with or without fractions of a second, and with any time zone offset. A day alone, such as
    /// `2024-03-02`, is decoded as its first moment in UTC.
    ///
    /// Members are found regardless of their capitals: `html_url` is decoded as `htmlURL` or `htmlUrl`, and `line_1` as
    /// `line1`. The keys of a dictionary are not converted.
    public static let snakeCase = JSONCoding(
        style: .snakeCase, decoder: nil,
        encoder: {
            let encoder = JSONEncoder.repeatable()
            encoder.keyEncodingStrategy = .custom { path in
                let key = path[path.count - 1]
                // Foundation asks about the keys of a dictionary, too, unless they are of type `String`. The standard
                // library gives such keys a type of its own, which isn't public.
                let isOfDictionary = "\(type(of: key))" == "_DictionaryCodingKey"
                return TapeKey.name(isOfDictionary ? key.stringValue : SnakeCase.name(of: key.stringValue))
            }
            encoder.dateEncodingStrategy = .iso8601
            return encoder
        })

    func encode(_ value: some Encodable) throws -> Data { try encoder().encode(value) }

    fileprivate func decode<Value: Decodable>(_ type: Value.Type, from response: RawResponse) throws -> Value {
        // The body is checked first, so that Foundation's decoder receives only JSON, as far as this package's parser
        // can tell, and only JSON that is not nested too deeply for the current thread's stack.
        var body = response.body
        var hadBadBytes = false
        let tape: JSONTape
        do {
            tape = try JSONTape(body, style: style)
        } catch JSONTape.Problem.notJSON {
            // If the body is not all UTF-8, the wrong bytes are replaced, so that the rest of a list can still be
            // decoded.
            body = Data(String(decoding: body, as: UTF8.self).utf8)
            hadBadBytes = body != response.body
            guard hadBadBytes else { throw JSONTape.Problem.notJSON }
            tape = try JSONTape(body, style: style)
        }
        // Some versions of Foundation's decoder stop the process at such a name.
        if decoder != nil, let path = tape.pathOfObjectWithHalfPairInName() {
            throw UnreadableResponse.unexpected(
                path: pathText(path), problem: "the name of a member has half of a surrogate pair")
        }
        do {
            let value = try decoder?().decode(type, from: body) ?? TapeDecoder.decode(type, from: tape)
            if let note {
                tape.unreadableFields.forEach(note)
                let reason = "the response has bytes that are not UTF-8; each “\u{FFFD}” stands for some of them"
                if hadBadBytes { note(UnreadableItem(index: .max, reason: reason, isKept: true)) }
            }
            return value
        } catch let error as DecodingError {
            guard decoder != nil, case .keyNotFound = error else { throw UnreadableResponse(error) }
            // Decodes the value again with this package's own decoder. Its error also names the members that are there
            // instead of the missing one.
            do {
                _ = try TapeDecoder.decode(type, from: tape)
            } catch let own as DecodingError {
                throw UnreadableResponse(own)
            }
            throw UnreadableResponse(error)
        }
    }
}

extension JSONCoding {
    /// Creates a custom coding from Foundation's encoder and decoder. The decoder receives only responses that are
    /// JSON, and in which no member's name has half of a surrogate pair. Some versions of Foundation stop the process
    /// at such a name.
    public init(
        decoder: @escaping @Sendable () -> JSONDecoder,
        encoder: @escaping @Sendable () -> JSONEncoder = { JSONEncoder() }
    ) {
        self.init(style: .plain, decoder: decoder, encoder: encoder)
    }
}

extension RawResponse {
    /// Whether a value of this type is the body itself, and not decoded from JSON.
    static func isContent<Value>(_ type: Value.Type) -> Bool {
        type == Data.self || type == String.self || (type as? any ContentOrNil.Type)?.isContent == true
    }

    /// Decodes the body of an endpoint that declares only its type. Bytes and text are taken as they are; everything
    /// else is decoded from JSON.
    func content<Value: Decodable>(_ type: Value.Type = Value.self, by coding: JSONCoding) throws -> Value {
        if let type = type as? any ContentOrNil.Type, let value = try type.content(of: self, by: coding) as? Value {
            return value
        }
        if type == Data.self, let bytes = body as? Value { return bytes }
        guard type == String.self else { return try json(by: coding) }
        guard let text = String(data: body, encoding: .utf8) as? Value else {
            throw UnreadableResponse.unexpected(
                path: "", problem: "it is not UTF-8; declare Data for its bytes")
        }
        return text
    }

    /// Decodes the body as JSON. Throws ``UnreadableResponse``, or any other error that the type throws while decoding.
    public func json<Value: Decodable>(_ type: Value.Type = Value.self, by coding: JSONCoding = .plain) throws -> Value
    {
        guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { throw UnreadableResponse.empty }
        guard first != UInt8(ascii: "<") else { throw UnreadableResponse.html }
        do {
            return try coding.decode(type, from: self)
        } catch let problem as JSONTape.Problem {
            throw UnreadableResponse(problem)
        }
    }
}

/// An optional type. If a response has no content, its value is nil.
private protocol ContentOrNil {
    static var isContent: Bool { get }
    static func content(of response: RawResponse, by coding: JSONCoding) throws -> Self
}

extension Optional: ContentOrNil where Wrapped: Decodable {
    static var isContent: Bool { RawResponse.isContent(Wrapped.self) }

    static func content(of response: RawResponse, by coding: JSONCoding) throws -> Wrapped? {
        // With these status codes, the service states that the response has no content.
        let isEmpty =
            response.status == 204 || response.status == 205
            || response.body.allSatisfy { " \t\r\n".utf8.contains($0) }
        if isEmpty { return nil }
        return try isContent ? response.content(Wrapped.self, by: coding) : response.json(Wrapped?.self, by: coding)
    }
}
