import Foundation

extension ServerRequest {
    /// The body parsed as `application/x-www-form-urlencoded`.
    public var formItems: [URLQueryItem] { Self.items(of: String(decoding: body, as: UTF8.self)) }

    /// The body parsed as JSON; `nil` when it is not JSON.
    public var json: ServerJSON? { ServerJSON(body) }

    /// Returns the last value of a query item, as Django reads repeated ones; `nil` when it is absent.
    public func queryValue(_ name: String) -> String? {
        queryItems.last { $0.name == name }?.value
    }

    /// Returns the last value of a query item; `nil` when it is absent or empty.
    package func queryText(_ name: String) -> String? {
        queryValue(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the last value of a form field; `nil` when it is absent.
    public func formValue(_ name: String) -> String? {
        formItems.last { $0.name == name }?.value
    }

    static func items(of encoded: String) -> [URLQueryItem] {
        encoded.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: decoded(parts[0]), value: parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacingOccurrences(of: "+", with: " ")
        return spaced.removingPercentEncoding ?? spaced
    }
}
