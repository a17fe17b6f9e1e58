/// An HTTP request method. The set is open, as services may define others.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as sent on the wire.
    public let rawValue: String

    /// Creates a method with any name. It is validated when a request is sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The GET method, which reads a resource without changing it.
    public static let get = HTTPMethod(rawValue: "GET")
    /// The POST method, which performs an action or adds a resource.
    public static let post = HTTPMethod(rawValue: "POST")
    /// The PUT method, which stores a resource in place of the existing one.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// The PATCH method, which changes part of an existing resource.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// The DELETE method, which removes a resource.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// The HEAD method, which reads only the headers of a resource.
    public static let head = HTTPMethod(rawValue: "HEAD")

    /// Whether sending a request twice has, as HTTP defines it, the same effect as sending it once.
    public var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue)
    }

    /// Whether HTTP allows this method name; any other could be used to inject a header.
    var isValid: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    }

    public var description: String { rawValue }
}
