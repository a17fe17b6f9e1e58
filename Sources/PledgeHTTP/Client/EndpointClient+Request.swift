import Foundation
import PledgeCoding

// Builds the request of an endpoint.
extension EndpointClient {
    func context<Response>(of endpoint: Endpoint<Response>) -> RequestContext {
        RequestContext(
            method: endpoint.method, url: (endpoint.isLink ? "" : parts.shownBase) + endpoint.shownPath)
    }

    func outgoing<Response>(_ endpoint: Endpoint<Response>) throws -> OutgoingRequest {
        func unsendable(_ problem: String) -> ExchangeError {
            ExchangeError(.badRequest(problem), context: context(of: endpoint))
        }
        let base = baseURL.absoluteString
        if let problem = endpoint.query.problem { throw unsendable(problem) }
        let address: String
        do throws(Unsendable) { address = try endpoint.address(below: base) } catch { throw unsendable("\(error)") }
        guard let url = URL(string: address)?.withPlainScheme, let origin = parts.origin, !origin.host.isEmpty else {
            throw unsendable("the URL is not valid")
        }
        guard !origin.namesUser else { throw unsendable("the URL contains a user name") }
        // However a path is written, the token is sent to its own host only: the base URL ends in a slash.
        guard endpoint.isLink ? Origin(url) == origin : url.absoluteString.utf8.starts(with: base.utf8) else {
            throw unsendable("the path leads to another origin than the base URL")
        }
        guard origin.mayCarrySecrets(trusting: options.plainHTTPHosts) else {
            let danger =
                parts.authorizer.token == nil
                ? "others could read and change a request over \(origin.scheme)"
                : "a token must not be sent over \(origin.scheme)"
            throw unsendable("\(danger): use https, or name the host in plainHTTPHosts")
        }
        var headers: HeaderFields = ["Accept": endpoint.accept, "User-Agent": options.userAgent]
        headers["Content-Type"] = endpoint.body?.type
        for field in options.headers.fields + endpoint.headers.fields { headers[field.name] = field.value }
        let body: FileBody?
        do {
            body = try endpoint.body?.encode(options.json)
        } catch EncodingError.invalidValue(_, let context) {
            // The value is left out because it is private.
            let path = pathText(context.codingPath)
            throw unsendable("the body's \(path.isEmpty ? "top level" : path) cannot be encoded")
        } catch let error as UnreadableFile {
            throw unsendable("\(error)")
        } catch {
            throw unsendable("the body cannot be encoded: \(error)")
        }
        var request = OutgoingRequest(
            method: endpoint.method, url: url, headers: headers, timeout: endpoint.timeout ?? options.timeout,
            bodyLimit: options.bodyLimit)
        request.body = body?.bytes
        if request.body == nil { request.bodyFiles = body }
        if let problem = request.problem { throw unsendable(problem) }
        return request
    }
}
