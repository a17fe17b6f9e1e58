import Foundation
import Testing

/// A value that holds secrets, and which.
struct Holder: Sendable, CustomTestStringConvertible {
    /// One for all values that are made by hand.
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
