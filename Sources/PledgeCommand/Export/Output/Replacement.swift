import Foundation

/// A new file that takes the place of an old one when it is whole, all at once; until then it is a neighbor with a name
/// that nobody can guess, and it is gone when that does not come to pass.
///
/// Everything that is written anew goes this way. The new file has the mode and the owner of the old one; without an old
/// one it is for the owner alone.
final class Replacement {
    /// Open for reading and writing. Belongs to whoever calls ``takePlace()``, from then on.
    let descriptor: Int32
    private let place: FilePlace
    private let neighbor: String
    private let old: Int32?
    private var isPending = true

    /// - Parameters:
    ///   - old: the file that lies there, opened by the caller; nil if there is none.
    ///   - random: what makes the name.
    init(of place: FilePlace, old: Int32?, using random: inout some RandomNumberGenerator) throws {
        self.place = place
        self.old = old
        (descriptor, neighbor) = try place.makeNeighbor(using: &random)
        if let old { try keepStatus(of: old) }
    }

    convenience init(of place: FilePlace, old: Int32?) throws {
        var random = SystemRandomNumberGenerator()
        try self.init(of: place, old: old, using: &random)
    }

    deinit {
        guard isPending else { return }
        place.removeNeighbor(neighbor)
        close(descriptor)
    }

    func write(_ bytes: [UInt8]) throws {
        try writeAll(bytes, to: descriptor, name: place.named)
    }

    /// Syncs the file, gives it the name, and syncs that.
    func takePlace() throws {
        guard fsync(descriptor) == 0 else { throw StopError(writing: place.named, errno) }
        if let old, !place.holds(old) {
            throw Failure("Another program has put something else in the place of \(place.named), which stays.")
        }
        try place.moveHere(neighbor)
        isPending = false
        try place.syncFolder()
    }

    private func keepStatus(of old: Int32) throws {
        var (theirs, ours) = (stat(), stat())
        guard fstat(old, &theirs) == 0, fstat(descriptor, &ours) == 0 else {
            throw StopError(writing: place.named, errno)
        }
        // The owner first: a change of it takes some bits of the mode away.
        if theirs.st_uid != ours.st_uid || theirs.st_gid != ours.st_gid,
            fchown(descriptor, theirs.st_uid, theirs.st_gid) != 0
        {
            throw Failure("\(place.named) belongs to somebody else, and would not if it were written anew. It stays.")
        }
        guard fchmod(descriptor, theirs.st_mode & 0o7777) == 0 else { throw StopError(writing: place.named, errno) }
    }
}
