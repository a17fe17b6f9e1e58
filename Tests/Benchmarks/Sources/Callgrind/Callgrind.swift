import Foundation

/// Counts the instructions that a program executes, with `valgrind`. Unlike times, these counts don't depend on the
/// load of the machine.
public enum Callgrind {
    /// Returns the number of instructions for one unit of work. The program runs twice, with few and with many units.
    /// The result is computed from the difference of the two counts, so that it doesn't include the start of the
    /// process. Returns nil without valgrind, or if the program fails.
    ///
    /// - Parameters:
    ///   - onOneProcessor: Whether the program runs on a single processor.
    ///   - isScript: Whether the program is a script, which isn't stripped of debugging information first.
    ///   - command: Returns the program, and its arguments, for a number of units.
    public static func perUnit(
        _ few: Int, _ many: Int, onOneProcessor: Bool = false, isScript: Bool = false,
        environment: [String: String] = [:], input: (Int) -> Data = { _ in Data() }, _ command: (Int) -> [String]
    ) -> Double? {
        let counts = [few, many].compactMap { size -> Double? in
            var words = command(size)
            if !isScript { words[0] = readable(words[0]) ?? words[0] }
            let place = onOneProcessor ? ["taskset", "-c", "0"] : []
            let tool = place + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
            let text = output(tool + words, input(size), environment)
            return text?.firstMatch(of: /Collected : (\d+)/).flatMap { Double($0.1) }
        }
        return counts.count == 2 ? (counts[1] - counts[0]) / Double(many - few) : nil
    }

    /// Returns the path of a copy of a compiled program, without the debugging information that some versions of
    /// valgrind can't read.
    private static func readable(_ program: String) -> String? {
        let copy = FileManager.default.temporaryDirectory.appending(component: "callgrind-\(getpid())").path
        return output(["strip", "--strip-debug", "-o", copy, program], Data(), [:]) == nil ? nil : copy
    }

    /// Returns what a program writes to standard error, or nil if it fails or isn't installed.
    private static func output(_ words: [String], _ input: Data, _ environment: [String: String]) -> String? {
        let (process, inputs, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        (process.standardInput, process.standardError) = (inputs, errors)
        process.standardOutput = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        try? inputs.fileHandleForWriting.write(contentsOf: input)
        try? inputs.fileHandleForWriting.close()
        let data = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
