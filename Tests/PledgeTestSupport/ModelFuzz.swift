import Foundation
import PledgeCoding
import Testing

/// Random changes of a sample response, decoded by the client and by Foundation.
package enum ModelFuzz {
    /// The parts of a decoded model and the items left out of it, or the path at which decoding failed.
    private enum Outcome<Parts: Equatable> {
        case read(Parts, [UnreadableItem])
        case failed(String?)

        init(_ path: (any Error) -> String?, _ read: () throws -> (Parts, [UnreadableItem])) {
            do {
                let (parts, unreadable) = try read()
                self = .read(parts, unreadable)
            } catch {
                self = .failed(path(error))
            }
        }

        /// Foundation does not report where a number is that a type cannot hold, and visits keys in no fixed order. What is kept
        /// though it is not as promised is not compared.
        func isSame(as foundation: Outcome) -> Bool {
            switch (self, foundation) {
            case (.read(let ours, let left), .read(let theirs, let theirLeft)):
                ours == theirs && left.lost == theirLeft.lost
                    && zip(left.filter { !$0.isKept }, theirLeft.filter { !$0.isKept })
                        .allSatisfy { $0 == $1 || $0.index == $1.index && $1.reason == Self.vague }
            case (.failed(let path), .failed(let theirPath)):
                theirPath == nil || path == theirPath
                    || [path, theirPath].allSatisfy { $0?.hasSuffix("Enabled") ?? false }
            default: false
            }
        }

        private static var vague: String { "it holds a number that no Swift type can" }
    }

    /// Compares how a sample decodes, after random changes.
    ///
    /// - Parameter path: Returns the path of an error: only that, because each decoder words its errors differently.
    package static func check<Parts: Equatable>(
        _ sample: String, _ name: String, path: (any Error) -> String?,
        client: (Data) throws -> (Parts, [UnreadableItem]), foundation: (Data) throws -> (Parts, [UnreadableItem])
    ) throws {
        let tree = try JSONTree(sample)
        Fuzzing.run(cases: 60, name) { seed, generator in
            var changed = tree
            for _ in 0..<Int.random(in: 0...3, using: &generator) { changed = changed.changed(&generator) }
            let text = changed.text(&generator)
            // Foundation does not tell how a number was written.
            if ["4174.0", "1e3", "1e400"].contains(where: text.contains) { return }
            let body = Data(text.utf8)
            let (ours, theirs) = (Outcome(path) { try client(body) }, Outcome(path) { try foundation(body) })
            #expect(ours.isSame(as: theirs), "seed \(seed) of \(name): \(text) as \(ours)")
        }
    }
}
