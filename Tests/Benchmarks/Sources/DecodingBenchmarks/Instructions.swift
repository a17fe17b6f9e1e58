import Foundation

/// Instructions that one reading takes, which do not depend on the load of the machine, counted with `valgrind`.
enum Instructions {
    /// Of ours, in a process of its own, or nil without valgrind.
    static func ofOurs(_ key: String) -> Double? {
        program.flatMap { program in perReading(20) { collected([program, "count", key, "\($0)"], input: Data()) } }
    }

    /// Of a library of Python, which gets the commands that ``Python`` would send it.
    static func of(_ library: String, _ key: String, _ body: Data, _ python: Python) -> Double? {
        perReading(100) { count in
            var input = Data("load \(key) \(body.count)\n".utf8) + body
            input += Data("read \(key) \(library) \(count)\n".utf8)
            return collected([python.executable, Python.script], input: input)
        }
    }

    /// The difference of two counts: what a process costs as a whole is no reading's.
    private static func perReading(_ count: Int, _ collected: (Int) -> Double?) -> Double? {
        guard let few = collected(count), let many = collected(count * 3) else { return nil }
        return (many - few) / Double(count * 2)
    }

    private static func collected(_ command: [String], input: Data) -> Double? {
        let tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        let text = output(tool + command, input)
        return text?.firstMatch(of: /Collected : (\d+)/).flatMap { Double($0.1) }
    }

    /// This program, without the debugging information that some versions of valgrind cannot read.
    private static let program: String? = {
        guard let itself = Bundle.main.executablePath else { return nil }
        let copy = FileManager.default.temporaryDirectory.appending(component: "DecodingBenchmarks-\(getpid())").path
        return output(["strip", "--strip-debug", "-o", copy, itself], Data()) == nil ? nil : copy
    }()

    /// What a program says on standard error, or nil if it fails or is not there.
    private static func output(_ arguments: [String], _ input: Data) -> String? {
        let (process, inputs, errors) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
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
