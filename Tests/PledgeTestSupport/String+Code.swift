import Foundation

extension String {
    /// Code without indentation and blank lines, which may differ between a document and the compiled code.
    package var unindented: String {
        split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    /// The blocks of Swift in a document, each with the mark on the line before it, if there is one.
    package var swiftBlocks: [(mark: String, code: String)] {
        let pieces = components(separatedBy: "```swift\n")
        return zip(pieces, pieces.dropFirst()).map { before, block in
            let line = before.split(separator: "\n").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
            return (line.hasPrefix("<!--") ? line : "", block.components(separatedBy: "```")[0])
        }
    }
}
