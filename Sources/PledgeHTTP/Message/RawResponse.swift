import Foundation
import PledgeCoding
import PledgeFiles

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An HTTP response as it was received.
public struct RawResponse: Sendable {
    /// The URL that was requested.
    public var url: URL
    /// The status code of the response.
    public var status: Int
    /// The headers, in the order they were received.
    public var headers: HeaderFields
    /// The bytes of the body, after decompression; empty if they are in a file.
    public var body: Data
    /// The file that contains the body; nil if the body is in memory. See
    /// ``EndpointClient/download(_:to:atMost:progress:)``.
    public internal(set) var file: URL?
    /// The size of the body, whether it is in memory or in a file.
    package var byteCount: Int { file == nil ? body.count : fileSize }
    var fileSize = 0

    /// Creates a response for use in transports and tests.
    public init(url: URL, status: Int, headers: HeaderFields = [:], body: Data = Data()) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns the target of the first `Link` header with a relation, such as `next` for the next page of a list. The
    /// target is an absolute URL, which can be the path of an endpoint. Returns nil if there is no such header.
    public func link(_ relation: String) -> String? {
        let relation = relation.lowercased()
        for field in headers.fields where field.name.lowercased() == "link" {
            for link in WebLink.all(in: field.value) where link.relations.contains(relation) {
                if let target = URL(string: link.target, relativeTo: url) { return target.absoluteString }
            }
        }
        return nil
    }

    /// The response as Foundation's class, for code that requires one.
    public var urlResponse: URLResponse {
        var joined: [String: String] = [:]
        for field in headers.fields {
            joined[field.name] = joined[field.name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: joined)
            ?? URLResponse(
                url: url, mimeType: headers["Content-Type"], expectedContentLength: body.count, textEncodingName: nil)
    }
}

extension RawResponse: Redacted {
    /// The status code, size, and URL. The body is left out, because it is private.
    public var description: String { "\(status) with \(byteCount) bytes from \(url.redacted)" }
}

/// A link of a `Link` header, as RFC 8288 defines it: `<https://api.example.com/books?page=2>; rel="next"`.
private struct WebLink {
    var target: String
    /// The relations in lowercase. They are empty if the link is not about the response itself.
    var relations: [String] = []

    static func all(in header: String) -> [WebLink] {
        var links = [WebLink]()
        var rest = header[...]
        while let start = rest.firstIndex(of: "<"), let end = rest[start...].firstIndex(of: ">") {
            var link = WebLink(target: String(rest[rest.index(after: start)..<end]))
            rest = rest[rest.index(after: end)...]
            let parameters = parameters(&rest)
            if !parameters.contains(where: { $0.name == "anchor" }) {
                let relations = parameters.first { $0.name == "rel" }?.value.lowercased() ?? ""
                link.relations = relations.split(separator: " ").map(String.init)
            }
            links.append(link)
        }
        return links
    }

    /// Removes the parameters of a link from `rest`, including the comma after them, and returns them. Commas and
    /// semicolons between quotation marks are part of a value.
    private static func parameters(_ rest: inout Substring) -> [(name: String, value: String)] {
        var parameters = [String]()
        var text = ""
        var isQuoted = false
        var isEscaped = false
        while let character = rest.popFirst() {
            if isEscaped || isQuoted && character != "\"" && character != "\\" {
                text.append(character)
                isEscaped = false
            } else if character == "\"" {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = true
            } else if character == "," {
                break
            } else if character == ";" {
                parameters.append(text)
                text = ""
            } else {
                text.append(character)
            }
        }
        return (parameters + [text]).map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            return (parts.first?.lowercased() ?? "", parts.count > 1 ? parts[1] : "")
        }
    }
}
