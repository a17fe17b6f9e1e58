import Foundation

/// Other programs of the system, which tests use as a second pair of eyes.
package enum Executable {
    /// The path of a program, or nil if it is not installed.
    package static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The Python that has a package, which ours does not depend on; nil if there is none.
    package static func python(with package: String) -> String? {
        let name = ProcessInfo.processInfo.environment["PLEDGE_PYTHON"] ?? "python3"
        return (try? run([name, "-c", "import \(package)"]))?.status == 0 ? name : nil
    }

    /// Runs a program with empty input and waits for it to exit.
    ///
    /// - Parameters:
    ///   - words: The program, as a path or a name to look up in `PATH`, and its arguments.
    ///   - folder: The directory it runs in; the tests' own unless given.
    ///   - environment: Its environment; the tests' own unless given.
    ///   - withErrors: Whether the output includes what it writes to standard error.
    @discardableResult
    package static func run(
        _ words: [String], in folder: URL? = nil, environment: [String: String]? = nil, withErrors: Bool = true
    ) throws -> (status: Int32, output: String) {
        // Not a pipe, which what the program started may keep open.
        let output = try UnnamedFile()
        let program = try RunningProgram(
            words, in: folder, environment: environment,
            (nil, output.descriptor, withErrors ? output.descriptor : nil))
        return (program.wait(), output.text)
    }
}
