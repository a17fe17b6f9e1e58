// Before 6.1, `#expect(throws:)` does not return the error.

/// Returns the error that `body` throws, or nil if `body` throws no error or an error of another type.
package func thrown<Failure: Error, Value>(_ type: Failure.Type, by body: () async throws -> Value) async -> Failure? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? Failure
    }
}

/// Returns the error that a synchronous `body` throws, or nil if `body` throws no error or an error of another type.
package func thrown<Failure: Error, Value>(_ type: Failure.Type, by body: () throws -> Value) -> Failure? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? Failure
    }
}
