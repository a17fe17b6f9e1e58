/// A new file that takes the place of an old one when it is whole, all at once; until then it is a neighbor with a name
/// that nobody can guess, and it is gone when that does not come to pass.
///
/// Everything that is written anew goes this way. The new file has the mode and the owner of the old one; without an old
/// one it is for the owner alone.
final class Replacement {
    /// What the new content is written to.
    let file: any RawFile
    private let place: any FilePlace
    private let neighbor: String
    private let old: (any RawFile)?
    private var isPending = true

    /// - Parameter old: the file that lies there, opened by the caller; nil if there is none.
    init(of place: any FilePlace, old: (any RawFile)?) throws {
        self.place = place
        self.old = old
        (file, neighbor) = try place.makeNeighbor(like: old)
    }

    deinit {
        if isPending { place.removeNeighbor(neighbor) }
    }

    /// Syncs the file, gives it the name, and syncs that.
    func takePlace() throws {
        try file.sync()
        if let old, !place.holds(old) {
            throw Failure("Another program has put something else in the place of \(place.named), which stays.")
        }
        try place.moveHere(neighbor)
        isPending = false
        try place.syncFolder()
    }
}
