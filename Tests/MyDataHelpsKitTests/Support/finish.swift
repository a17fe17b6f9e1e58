import MyDataHelpsKit
import PledgeTestSupport
import Testing

/// The main queue, with a mark by which it is recognized: on Linux, any thread may run its work in tests.
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
