import ExistKit
import Foundation

/// `pledge export`: reads accounts, gets their data a few at a time, writes a line for each.
struct ExportCommand {
    var options: ExportOptions
    var environment: [String: String]

    /// What the process ends with; see ``help``.
    enum ExitCode: Int32 {
        case allDone = 0
        case someFailed = 2
        case interrupted = 130
    }

    func run() throws -> Int32 {
        // A closed pipe is an error of the write instead of the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let clients = try ExportClients(options, environment: environment)
        let (input, size) = try openInput()
        defer { if input != STDIN_FILENO { close(input) } }
        if let path = options.output, Self.isSame(path, input) {
            throw UsageError("\(path) is the input: name another file for the results.")
        }
        let file =
            if let path = options.output {
                try ResultsFile(
                    path, resume: options.resume, retryFailed: options.retryFailed, withTables: options.csv)
            } else {
                ResultsFile()
            }
        let wake = try WakePipe()
        let run = ExportRun(
            options, clients, LineReader(input, limit: AccountReader.longestLine, wake: wake), inputSize: size, file,
            environment: environment)
        let interrupts = Interrupts { count in
            guard count == 1 else { _exit(ExitCode.interrupted.rawValue) }
            run.interrupt()
            wake.signal()
        }
        return try withExtendedLifetime(interrupts) { try run.wait().rawValue }
    }

    private func openInput() throws -> (Int32, size: Int) {
        guard let path = options.input else { return (STDIN_FILENO, Self.size(of: STDIN_FILENO)) }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).")
        }
        return (descriptor, Self.size(of: descriptor))
    }

    private static func isSame(_ path: String, _ descriptor: Int32) -> Bool {
        var (one, other) = (stat(), stat())
        return stat(path, &one) == 0 && fstat(descriptor, &other) == 0 && one.st_mode & S_IFMT == S_IFREG
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }

    private static func size(of descriptor: Int32) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(status.st_size)
    }
}
