import Foundation
import Testing

/// Whole outputs that people have read and found right. They are files in the folder `Outputs` of each test target.
package enum Outputs {
    /// Whether `PLEDGE_RENEW=1` asks the tests to rewrite these files.
    package static let isRenewed = ProcessInfo.processInfo.environment["PLEDGE_RENEW"] != nil

    /// Expects that a text equals the text in the file with this name. After an intended change, run the tests with
    /// `PLEDGE_RENEW=1`, which rewrites the files, and read the diff.
    package static func expect(
        _ text: String, in name: String, fileID: String = #fileID, location: SourceLocation = #_sourceLocation
    ) throws {
        // The escape character, which begins a terminal's commands, is shown by its symbol.
        let text = text.replacing("\u{1B}", with: "␛")
        let target = fileID.prefix { $0 != "/" }
        let file = Repository.file("Tests/\(target)/Outputs/\(name).txt")
        if isRenewed { try text.write(to: file, atomically: true, encoding: .utf8) }
        let expected = try String(contentsOf: file, encoding: .utf8)
        #expect(text == expected, "\(name)", sourceLocation: location)
    }
}
