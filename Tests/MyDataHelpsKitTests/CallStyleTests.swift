@preconcurrency import Dispatch  // Before 6.2, `DispatchSpecificKey` is not Sendable.
import Foundation
import MyDataHelpsKit
import PledgeTestSupport
import Testing

// That each call exists in each style, and does the same in all, is tested by the table of endpoints.
@Suite("The three styles of a call", .serialized)
struct CallStyleTests {
    private let mdh: MyDataHelpsCase
    init() throws { mdh = try MyDataHelpsCase(token: "wrong") }

    @Test("An endpoint of one's own is sent with the session's token, rate limit, and errors")
    func ownEndpoint() async throws {
        let right = try MyDataHelpsCase()
        right.sandbox.rateLimit = 9
        let endpoint = Endpoint<[String: JSONValue]>(.get, "api/v1/delegated/project")

        let answer = try await right.session.send(endpoint).value
        let refusal = await thrown(MyDataHelpsError.self) { try await mdh.session.send(endpoint).value }

        #expect(answer.value["name"] == .string("Nordic Sleep Study") && answer.reply.status == 200)
        #expect(right.session.rateLimit?.remainingRequests == 8)
        #expect(refusal?.name == "unauthorizedRequest")
    }
}

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
