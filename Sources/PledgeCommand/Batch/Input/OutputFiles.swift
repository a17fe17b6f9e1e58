import Foundation
import PledgeFiles

extension BatchOptions {
    /// Rejects files that would overwrite the input or another output.
    ///
    /// - Parameters:
    ///   - results: The files that results go to; standard output if there are none.
    ///   - option: The option that names them.
    func checkFiles(results: [String], named option: String) throws {
        var roles: [FileIdentity: String] = [:]
        if results.isEmpty, let output = FileIdentity(context.terminal.output) {
            roles[output] = "the file for results"
        }
        if let input = input.map({ FileIdentity(path: $0) }) ?? FileIdentity(context.terminal.input) {
            roles[input] = "the input"
        }
        let written =
            results.map { ($0, option, "the file for results") }
            + [(summary, "--summary", "the file for the summary"), (metrics, "--metrics", "the file for metrics")]
        for case (let path?, let option, let role) in written {
            guard let file = FileIdentity(path: path), let taken = roles.updateValue(role, forKey: file) else {
                continue
            }
            throw UsageError("\(path) is \(taken): choose another file for \(option).")
        }
    }
}
