import Foundation

/// Instructions that a unit of work takes, which do not depend on the load of the machine.
struct Instructions: Encodable {
    let work: Beside
    let pledge: Double
    let swift: Double

    /// Counts them, or returns nil without valgrind.
    init?(_ work: Beside) {
        guard let pledge = Self.perUnit(work, withPromises: true),
            let swift = Self.perUnit(work, withPromises: false)
        else { return nil }
        (self.work, self.pledge, self.swift) = (work, pledge, swift)
    }

    var row: [String] {
        [work.title, pledge.rounded(to: 0), swift.rounded(to: 0), (pledge / swift).rounded(to: 2)]
    }

    var gate: Gate? {
        work.limit.map { Gate(title: "\(work.rawValue), instructions, of Swift's", figure: pledge / swift, limit: $0) }
    }

    /// The difference of two sizes: what a process costs as a whole is no unit's.
    private static func perUnit(_ work: Beside, withPromises: Bool) -> Double? {
        guard let few = collected(work, withPromises, 5_000), let many = collected(work, withPromises, 20_000) else {
            return nil
        }
        return (many - few) / 15_000
    }

    private static func collected(_ work: Beside, _ withPromises: Bool, _ count: Int) -> Double? {
        guard let program else { return nil }
        // On one processor: on several, chance decides whether a value is there before a task asks for it.
        let place = work == .awaited ? ["taskset", "-c", "0"] : []
        let text = output(
            place + ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
                + [program, "count", work.rawValue, withPromises ? "pledge" : "swift", "\(count)"])
        return text?.firstMatch(of: /Collected : (\d+)/).flatMap { Double($0.1) }
    }

    /// This program, without the debugging information that some versions of valgrind cannot read.
    private static let program: String? = {
        guard let itself = Bundle.main.executablePath else { return nil }
        let copy = FileManager.default.temporaryDirectory.appending(component: "PromiseBenchmarks-\(getpid())").path
        return output(["strip", "--strip-debug", "-o", copy, itself]) == nil ? nil : copy
    }()

    /// What a program says on standard error, or nil if it fails or is not there.
    private static func output(_ arguments: [String]) -> String? {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = pipe
        guard (try? process.run()) != nil else { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
