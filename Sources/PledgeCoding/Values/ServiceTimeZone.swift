import Foundation

extension TimeZone {
    /// Coordinated Universal Time. Foundation's own constant is too new for the supported platforms.
    package static let utc = TimeZone(secondsFromGMT: 0) ?? .current

    /// Creates the time zone with a name sent by a service, such as `Europe/Stockholm`. Returns nil for a malformed
    /// name, which the system might take for a path, or take long to compare with its own names.
    package init?(ofService name: String) {
        let isForm = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "+"),
                UInt8(ascii: "-"), UInt8(ascii: ":"):
                true
            default: false
            }
        }
        guard isForm, name.utf8.count <= 64 else { return nil }
        self.init(identifier: name)
    }
}
