import Pledge

// error: contextual closure type '@Sendable () async throws -> Int' expects 0 arguments, but 1 was used in closure body
// Swift reports the initializer for asynchronous code.

private func program() -> Promise<Int> { Promise { seal in seal.fulfil(1) } }
