import Foundation

/// `pledge sandbox` in its own process. Also runs the processes that send requests to it.
final class Server {
    private let process = Process()
    private let input = Pipe()
    private let address: String
    /// The environment variables that tell a process the sandbox's address.
    var environment: [String: String] { ["EXIST_BASE_URL": address, "MYDATAHELPS_BASE_URL": address] }

    struct Failed: Error {
        var command: [String]
    }

    init(pledge: String, accounts: Int) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: pledge)
        process.arguments = ["sandbox", "--accounts", "\(accounts)"]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = output.fileHandleForReading.availableData
        let ready = try JSONSerialization.jsonObject(with: line) as? [String: Any]
        address = ready?["exist"] as? String ?? ""
    }

    /// Runs a command to its end, and returns its user and system time.
    func cpuSeconds(of command: [String]) throws -> Double {
        let before = Self.childSeconds
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = command
        child.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        child.standardInput = FileHandle.nullDevice
        child.standardOutput = FileHandle.nullDevice
        child.standardError = FileHandle.nullDevice
        try child.run()
        child.waitUntilExit()
        guard child.terminationStatus == 0 else { throw Failed(command: command) }
        return Self.childSeconds - before
    }

    /// The CPU seconds of all child processes that have ended and were waited for.
    private static var childSeconds: Double {
        var usage = rusage()
        // -1 is RUSAGE_CHILDREN, which has different types in Darwin and Glibc.
        getrusage(-1, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
