import PledgeCoding

/// The reason a response could not be decoded.
public enum UnreadableResponse: Error, Equatable, Sendable, CustomStringConvertible {
    /// The response has no content.
    case empty
    /// The response is a web page, such as proxies and wrong URLs return.
    case html
    /// The response is not JSON in UTF-8, or was truncated.
    case notJSON
    /// The JSON does not have the expected structure, at this path and for this reason.
    case unexpected(path: String, problem: String)

    public var description: String {
        switch self {
        case .empty: "the response has no content"
        case .html: "the response is a web page instead of JSON"
        case .notJSON: "the response is not JSON, or was cut off"
        case .unexpected(let path, let problem):
            "the response's \(path.isEmpty ? "top level" : path) is unexpected: \(problem)"
        }
    }

    init(_ problem: JSONTape.Problem) {
        switch problem {
        case .notJSON: self = .notJSON
        case .deeper(let depth):
            self = .unexpected(path: "", problem: "it is nested deeper than \(depth) lists and objects")
        case .longer(let count): self = .unexpected(path: "", problem: "it is longer than \(count) bytes")
        }
    }

    /// A decoder receives only what is JSON, so its errors are about the content.
    package init(_ error: DecodingError) {
        switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .unexpected(
                path: pathText(context.codingPath),
                problem: context.debugDescription.hasSuffix(".")
                    ? String(context.debugDescription.dropLast()) : context.debugDescription)
        case .keyNotFound(let key, let context):
            // Foundation's words are about the key's type.
            let words = context.debugDescription
            self = .unexpected(
                path: pathText(context.codingPath),
                problem: words.contains(" is missing") ? words : "\(key.stringValue) is missing")
        @unknown default:
            self = .unexpected(path: "", problem: "it could not be decoded")
        }
    }
}
