import Foundation

/// Runs other programs of the system, with which tests check results independently.
package enum Executable {
    /// The path of a program, or nil if it is not installed.
    package static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The Python in which a Python package is installed, or nil. Tests are skipped if it is missing.
    package static func python(with package: String) -> String? {
        let name = ProcessInfo.processInfo.environment["PLEDGE_PYTHON"] ?? "python3"
        return (try? run([name, "-c", "import \(package)"]))?.status == 0 ? name : nil
    }

    /// Runs a program with empty input and waits for it to exit.
    ///
    /// - Parameters:
    ///   - words: The program, as a path or a name to look up in `PATH`, and its arguments.
    ///   - folder: The directory in which the program runs. By default, it is that of the tests.
    ///   - environment: The program's environment. By default, it is that of the tests.
    ///   - withErrors: Whether the output includes what the program writes to standard error.
    @discardableResult
    package static func run(
        _ words: [String], in folder: URL? = nil, environment: [String: String]? = nil, withErrors: Bool = true
    ) throws -> (status: Int32, output: String) {
        // The output goes to a file, because processes that the program started could keep a pipe open.
        let output = try UnnamedFile()
        let program = try RunningProgram(
            words, in: folder, environment: environment,
            (nil, output.descriptor, withErrors ? output.descriptor : nil))
        return (program.wait(), output.text)
    }
}
