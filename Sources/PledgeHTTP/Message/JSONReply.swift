import Foundation

/// Reading JSON out of a reply, with an error that tells apart what Foundation lumps together.
package enum JSONReply {
    // One for all: making a decoder costs more than a small decode, and it holds no state between calls.
    private static let decoder = JSONDecoder()

    package static func decode<Value: Decodable>(_ type: Value.Type, from reply: HTTPReply) throws -> Value {
        guard let first = reply.body.first(where: { !" \t\r\n".utf8.contains($0) }) else {
            throw UnreadableReply.empty
        }
        guard first != UInt8(ascii: "<") else { throw UnreadableReply.html }
        // Foundation's decoder has the last word wherever something is wrong, and says what.
        if let tape = try? JSONTape(reply.body), let value = try? TapeDecoder(tape: tape, index: 0).value(type) {
            return value
        }
        do {
            return try decoder.decode(type, from: reply.body)
        } catch let error as DecodingError {
            throw UnreadableReply(error)
        }
    }
}

/// Why a reply could not be read.
public enum UnreadableReply: Error, Equatable, Sendable, CustomStringConvertible {
    /// There were no bytes.
    case empty
    /// It is a web page, as proxies and wrong addresses send.
    case html
    /// It is not JSON, or was cut off.
    case notJSON
    /// It is JSON of another shape: where, and what was wrong there.
    case unexpected(path: String, problem: String)

    /// A sentence.
    public var description: String {
        switch self {
        case .empty: "the reply has no content"
        case .html: "the reply is a web page instead of JSON"
        case .notJSON: "the reply is not JSON, or was cut off"
        case .unexpected(let path, let problem):
            "the reply's \(path.isEmpty ? "top level" : path) is unexpected: \(problem)"
        }
    }

    package init(_ error: DecodingError) {
        switch error {
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            self = .notJSON
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .unexpected(
                path: Self.path(context.codingPath),
                problem: context.debugDescription.hasSuffix(".")
                    ? String(context.debugDescription.dropLast()) : context.debugDescription)
        case .keyNotFound(let key, let context):
            self = .unexpected(
                path: Self.path(context.codingPath),
                problem: key.stringValue.isEmpty ? context.debugDescription : "\(key.stringValue) is missing")
        @unknown default:
            self = .unexpected(path: "", problem: "it could not be decoded")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
