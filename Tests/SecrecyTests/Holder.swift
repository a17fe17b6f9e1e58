import Foundation
import Testing

/// Creates a value that holds secrets, together with a list of these secrets.
struct Holder: Sendable, CustomTestStringConvertible {
    /// The secret in all values that are made by hand.
    static let secret = "kqzx78wv"

    let testDescription: String
    let make: @Sendable () async throws -> (value: Any, secrets: [String])

    init(_ name: String, _ make: @escaping @Sendable () async throws -> Any) {
        self.init(knowing: name) { (try await make(), [Self.secret]) }
    }

    init(knowing name: String, _ make: @escaping @Sendable () async throws -> (value: Any, secrets: [String])) {
        (testDescription, self.make) = (name, make)
    }
}

func url(_ text: String) throws -> URL { try #require(URL(string: text)) }
