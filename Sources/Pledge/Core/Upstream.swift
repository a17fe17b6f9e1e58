/// What a promise can wait for: another promise, or several of them. Public only because ``Promise`` inherits from it; it
/// is not API.
///
/// A ticket says who waits.
public class _Upstream: _LockedObject, @unchecked Sendable {
    // Unchecked: see the superclass.

    /// Nobody waits under that ticket any more; cancels, if nobody else would miss it.
    func leave(_ ticket: UInt32) {}

    /// Nobody waits under that ticket any more. Returns whether somebody did.
    func release(_ ticket: UInt32) -> Bool { false }

    /// Whoever waits under that ticket would not miss it; cancels, if nobody else would.
    func discount(_ ticket: UInt32) {}
}
