/// A new file that atomically replaces an old one when it is complete; all files that are rewritten use this. Until
/// then, it has an unpredictable name next to it. It is deleted if it is not completed: after a kill, by the next one.
package final class Replacement {
    package let file: any RawFile
    private let location: any FileLocation
    /// The name of that file until then.
    package let temporary: String
    private let old: (any RawFile)?
    private var isPending = true

    /// - Parameter old: The existing file, opened by the caller; nil if there is none.
    package init(of location: any FileLocation, old: (any RawFile)?) throws {
        self.location = location
        self.old = old
        (file, temporary) = try location.makeTemporary()
    }

    deinit {
        if isPending { location.removeTemporary(temporary) }
    }

    /// - Parameter syncs: Whether the new file must survive a power failure, for which this waits.
    package func replaceOriginal(syncs: Bool = true) throws {
        if syncs { try file.sync() }
        if let old, !location.holds(old) {
            throw FileError("Another program has replaced \(location.named), which was not changed.")
        }
        try location.moveHere(temporary)
        isPending = false
        if syncs { try location.syncFolder() }
    }
}
