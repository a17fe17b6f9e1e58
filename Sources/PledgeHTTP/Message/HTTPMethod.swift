/// The verb of a request: an open set, since services may use others.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The verb as it goes on the wire.
    public let rawValue: String

    /// Any verb. It is checked against HTTP's rules when a request is sent.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads, and changes nothing.
    public static let get = HTTPMethod(rawValue: "GET")
    /// Does something, or adds something new.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Stores this in place of what is there.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part of what is there.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes what the address names.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Read, but only the headers.
    public static let head = HTTPMethod(rawValue: "HEAD")

    /// Whether doing it twice is, by HTTP's definition, the same as doing it once.
    public var isIdempotent: Bool {
        ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"].contains(rawValue)
    }

    /// Whether HTTP lets a method look like this; anything else could smuggle in a header.
    var isValid: Bool {
        !rawValue.isEmpty && rawValue.utf8.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    }

    public var description: String { rawValue }
}
