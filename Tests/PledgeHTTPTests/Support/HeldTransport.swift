import Foundation
import PledgeHTTP
import PledgeTestSupport
import Testing

/// A transport whose requests wait for the answer that a test gives them.
final class HeldTransport: HTTPTransport {
    private let waiting = Locked<[Resolver<RawResponse>]>([])

    var sent: Int { waiting.withLock { $0.count } }

    func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        let (promise, resolver) = Promise<RawResponse>.pending()
        waiting.withLock { $0.append(resolver) }
        return promise
    }

    /// Waits until the request with this index has been sent, and answers it with the resource.
    func answer(_ index: Int, _ status: Int, _ headers: HeaderFields = [:]) async {
        await Wait.until { sent > index }
        let url = URL(fileURLWithPath: "/")
        waiting.withLock { $0[index] }.fulfill(
            RawResponse(url: url, status: status, headers: headers, body: Data(#"{"ok": true}"#.utf8)))
    }

    func client(
        _ clock: ManualTimekeeper, _ limiter: RateLimiter? = nil,
        _ adapt: (inout EndpointClient.Options) -> Void = { _ in }
    ) -> EndpointClient {
        let options = EndpointClient.Options().with {
            ($0.transport, $0.clock, $0.retry, $0.limiter) = (self, clock.timekeeper, .never, limiter)
            adapt(&$0)
        }
        return EndpointClient(
            baseURL: URL(string: "https://things.example/") ?? URL(fileURLWithPath: "/"), options: options)
    }
}
