/// A type that holds sensitive data: `dump` prints only its description.
@usableFromInline package protocol Redacted: CustomStringConvertible, CustomReflectable {}

extension Redacted {
    /// A mirror that contains only the description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
