import Foundation
import PledgeTestSupport
import Testing

/// Whole outputs that people have read and found right, as files in `Outputs`.
enum Outputs {
    /// Expects that a text equals the text in the file with this name. After an intended change, run the tests with
    /// `PLEDGE_RENEW=1`, which rewrites the files, and read the diff.
    static func expect(_ text: String, in name: String, location: SourceLocation = #_sourceLocation) throws {
        // The escape character, which begins a terminal's commands, is shown by its symbol.
        let text = text.replacing("\u{1B}", with: "␛")
        let file = Repository.file("Tests/PledgeCommandTests/Outputs/\(name).txt")
        if ProcessInfo.processInfo.environment["PLEDGE_RENEW"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "\(name)", sourceLocation: location)
    }
}
