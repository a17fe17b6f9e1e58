import Foundation
import Pledge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Carries requests with one `URLSession` for life: no cache, no cookies, no stored passwords, no redirects.
///
/// Delegate-driven, because only the delegate sees the body of a 401 or a redirect and can stop a reply that is too
/// large, and because cancelling `data(for:)` deadlocks on Linux.
public final class URLSessionTransport: HTTPTransport {
    /// One for everyone who does not need their own: a session is costly, and keeps connections alive.
    public static let shared = URLSessionTransport()

    private let lines: SessionLines
    // More tasks than connections would wait inside Foundation, where waiting counts as time taken.
    private let semaphore: Semaphore

    /// A transport with a session of its own.
    ///
    /// - Parameters:
    ///   - connectionsPerHost: how many connections to keep to one host, and how many requests to have under way; others
    ///     wait their turn, without that counting towards their time-out.
    ///   - proxy: which requests go through a proxy. On Linux, Foundation asks the environment and nobody else: a request
    ///     that would go another way than the rule wants is rejected. Nor is Foundation to send through a proxy what is
    ///     for this machine, which can be said only to the whole process: where the environment names a proxy, the first
    ///     request adds this machine's names to the variable `no_proxy`.
    public init(connectionsPerHost: Int = 8, proxy: ProxyRule = .environment) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = connectionsPerHost
        semaphore = Semaphore(width: connectionsPerHost)
        lines = SessionLines(configuration, proxy: proxy)
    }

    /// Sends a request; see ``HTTPTransport/send(_:)``.
    public func send(_ request: OutgoingRequest) -> Promise<HTTPReply> {
        if let problem = request.problem { return Promise(error: TransportError.unsendable(problem)) }
        do {
            let line = try lines.line(for: request)
            return semaphore.enter {
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
