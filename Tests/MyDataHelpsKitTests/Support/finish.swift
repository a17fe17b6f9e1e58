@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.
import MyDataHelpsKit
import Testing

/// Returns the result that a call passes to its completion handler, which must run on the main queue; a failure if it
/// releases the handler without calling it.
func finish<Value: Sendable>(
    _ call: (@escaping ParticipantSession.Completion<Value>) -> Void
) async -> Result<Value, MyDataHelpsError> {
    MainQueue.mark()
    let promise = Promise<Result<Value, MyDataHelpsError>> { resolver in
        call { result in
            #expect(MainQueue.isCurrent)
            resolver.fulfill(result)
        }
    }
    do { return try await promise.value } catch { return .failure(.unknown(error)) }
}

/// The main queue, which any thread may serve in tests on Linux.
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()

    static func mark() { DispatchQueue.main.setSpecific(key: key, value: true) }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
