/// A new file that atomically replaces an old one when it is complete. Until then, it is next to it under an
/// unpredictable name, and it is deleted if it is not completed.
///
/// All files that are rewritten use this.
package final class Replacement {
    /// The file that the new content is written to.
    package let file: any RawFile
    private let place: any FilePlace
    private let neighbor: String
    private let old: (any RawFile)?
    private var isPending = true

    /// - Parameter old: The existing file, opened by the caller; nil if there is none.
    package init(of place: any FilePlace, old: (any RawFile)?) throws {
        self.place = place
        self.old = old
        (file, neighbor) = try place.makeNeighbor()
    }

    deinit {
        if isPending { place.removeNeighbor(neighbor) }
    }

    /// Syncs the file, renames it, and syncs the folder.
    package func takePlace() throws {
        try file.sync()
        if let old, !place.holds(old) {
            throw FileError("Another program has replaced \(place.named), which was not changed.")
        }
        try place.moveHere(neighbor)
        isPending = false
        try place.syncFolder()
    }
}
