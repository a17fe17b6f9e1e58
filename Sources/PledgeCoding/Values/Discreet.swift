/// What holds what is nobody's business: `dump` shows of it what its description says, and nothing else.
@usableFromInline package protocol Discreet: CustomStringConvertible, CustomReflectable {}

extension Discreet {
    /// Its description alone.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
