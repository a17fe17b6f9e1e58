import MyDataHelpsKit
import PledgeTestSupport
import Testing

/// The main queue, marked so that a test can tell whether code runs on it. The thread doesn't tell that: in tests on
/// Linux, any thread may run the main queue's work.
private let main = MarkedQueue(marking: .main)

/// Returns the result that a call passes to its completion handler, which must run on the main queue. Returns a failure
/// if the call releases the handler without calling it.
func finish<Value: Sendable>(
    _ call: (@escaping ParticipantSession.Completion<Value>) -> Void
) async -> Result<Value, MyDataHelpsError> {
    let promise = Promise<Result<Value, MyDataHelpsError>> { resolver in
        call { result in
            #expect(main.isCurrent)
            resolver.fulfill(result)
        }
    }
    do { return try await promise.value } catch { return .failure(.unknown(error)) }
}
