// Before 6.1, `#expect(throws:)` does not return the error.

/// Returns the error of a type that `body` throws, of which the caller expects something; nil if it throws none.
package func thrown<Failure: Error, Value>(_ type: Failure.Type, by body: () async throws -> Value) async -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// The same without suspending.
package func thrown<Failure: Error, Value>(_ type: Failure.Type, by body: () throws -> Value) -> Failure? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? Failure
    }
}
