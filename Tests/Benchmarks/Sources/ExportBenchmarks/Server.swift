import Foundation

/// `pledge sandbox` in a process of its own, and the processes that ask it.
final class Server {
    private let process = Process()
    private let input = Pipe()
    private let address: String
    /// Where those that ask it find it.
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

    /// User and system time of a command, from its start to its end.
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

    /// Of all children that have ended and were waited for.
    private static var childSeconds: Double {
        var usage = rusage()
        // RUSAGE_CHILDREN, which Darwin and Glibc have as different types.
        getrusage(-1, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }
}
