import Foundation
import Pledge
import PledgeCoding

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A transport over a single `URLSession`, without a cache, cookies, stored passwords, or redirects.
///
/// It uses a delegate, because only a delegate receives the body of a 401 or a redirect and can stop a response that is
/// too large, and because canceling `data(for:)` deadlocks on Linux.
public final class URLSessionTransport: HTTPTransport {
    private let lines: SessionLines
    // More tasks than connections would wait inside Foundation, where waiting counts toward the timeout.
    let semaphore: Semaphore

    /// Creates a transport with its own session.
    ///
    /// - Parameters:
    ///   - connectionsPerHost: The maximum number of connections to one host and of requests in progress to it. Further
    ///     requests wait their turn, which counts toward ``EndpointClient/Options/totalTimeout``, but not toward their
    ///     own time limit.
    ///   - proxy: The rule that determines which requests use a proxy. On Linux, Foundation uses only the environment:
    ///     a request that would not take the route the rule specifies is rejected. That includes requests to this
    ///     machine if the environment specifies a proxy, unless `no_proxy` lists this machine.
    public init(connectionsPerHost: Int = 8, proxy: ProxyRule = .environment) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        semaphore = Semaphore(width: connectionsPerHost)
        lines = SessionLines(configuration, proxy: proxy)
    }

    public var streamsFiles: Bool { true }

    public func send(_ request: OutgoingRequest) -> Promise<RawResponse> {
        if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
        do {
            let line = try lines.line(for: request)
            return semaphore.enter(request) {
                Promise { seal in
                    let exchange = SessionExchange(request, on: line, seal: seal)
                    seal.onCancel { exchange.stop(nil) }
                    exchange.start()
                }
            }
        } catch {
            return Promise(error: error)
        }
    }
}

extension URLSessionTransport: Redacted {
    /// The transport's name, and nothing of its requests.
    public var description: String { "URLSessionTransport" }
}
