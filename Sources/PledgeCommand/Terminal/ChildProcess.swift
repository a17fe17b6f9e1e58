import Foundation

/// A process that is started without a shell. This process reads its standard output.
///
/// The process's error output is discarded, and Ctrl-C in the terminal does not reach its process group. This is not
/// Foundation's Process, because that can't be waited for with a time limit.
final class ChildProcess {
    enum Exit {
        case code(Int32)
        case signal(Int32)
    }

    struct Failure: Error, CustomStringConvertible {
        var code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    private let id: pid_t
    private let output: Int32
    private var exit: Exit?

    /// - Parameters:
    ///   - words: The program and its arguments. The program is looked up in `PATH` unless it contains a slash.
    ///   - input: The content of its standard input, and of `/dev/fd/3`. Each must fit into a pipe.
    init(_ words: [String], _ environment: [String: String], input: [Data] = []) throws {
        // Starts one process at a time, because another one would inherit this one's pipes and keep them open. Starting
        // a process takes four descriptors for a moment; a running process takes one.
        (id, output) = try Self.starting.withLock {
            let ends = try Self.makePipe()
            var given: [Int32?] = []
            defer { for case let end? in given + [ends.write] { close(end) } }
            do {
                for bytes in input { given.append(try Self.source(of: bytes)) }
                let streams = [given.first ?? nil, ends.write, nil] + given.dropFirst()
                return (try Self.spawn(words, environment, streams: streams), ends.read)
            } catch {
                close(ends.read)
                throw error
            }
        }
    }

    private static let starting = NSLock()

    /// Returns the read end of a pipe that contains these bytes.
    private static func source(of bytes: Data) throws(Failure) -> Int32 {
        let ends = try makePipe()
        // The write can't fail, because this process has the read end, and it can't block, because the bytes fit into
        // the pipe.
        _ = bytes.withUnsafeBytes { write(ends.write, $0.baseAddress, $0.count) }
        close(ends.write)
        return ends.read
    }

    /// The signals that this tool ignores. A child process would inherit that.
    private static let ignored = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]

    /// Whether a variable holds a secret of this tool, which child processes must not see.
    static func isSecret(_ variable: String) -> Bool {
        ["EXIST_", "MYDATAHELPS_"].contains { variable.hasPrefix($0) }
            && ["TOKEN", "SECRET"].contains { variable.hasSuffix($0) }
    }

    /// Starts a program without a shell. All child processes are started here. The program is looked up in `PATH`
    /// unless its name contains a slash. It has its own process group, no blocked signals, and no other open files.
    ///
    /// - Parameters:
    ///   - environment: Its environment. The tool's secrets are removed from it.
    ///   - streams: Its standard input, output, and errors, and further open files; nil for none.
    static func spawn(
        _ words: [String], _ environment: [String: String], streams: [Int32?]
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
            // The program inherits only the given streams, even if other threads open files meanwhile.
            let system = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
            let system: Int32 = 0
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, stream) in zip(STDIN_FILENO..., streams) {
            if let stream {
                posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        var set = sigset_t()
        sigemptyset(&set)
        posix_spawnattr_setsigmask(&attributes, &set)
        for number in ignored { sigaddset(&set, number) }
        posix_spawnattr_setsigdefault(&attributes, &set)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | system))
        let arguments = words.map { strdup($0) } + [nil]
        let variables = environment.filter { !isSecret($0.key) }.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, words[0], &actions, &attributes, arguments, variables)
        guard failure == 0 else { throw Failure(code: failure) }
        return child
    }

    static func makePipe() throws(Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Returns the process's output up to its end, or up to `count` bytes. Returns nil if neither is reached in time.
    func read(atMost count: Int, until deadline: DispatchTime) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < count {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let now = DispatchTime.now()
            guard now < deadline else { return nil }
            let left = (deadline.uptimeNanoseconds - now.uptimeNanoseconds) / 1_000_000 + 1
            guard poll(&wait, 1, Int32(clamping: left)) > 0 else { continue }
            let read = Foundation.read(output, &buffer, min(buffer.count, count - bytes.count))
            if read == 0 { break }
            if read > 0 { bytes += buffer[..<read] }
        }
        return bytes
    }

    /// Waits until the process has exited, and returns how it did; nil if it doesn't exit in time.
    func exit(until deadline: DispatchTime) -> Exit? {
        while !reap(WNOHANG) {
            guard DispatchTime.now() < deadline else { return nil }
            usleep(1_000)
        }
        return exit
    }

    /// Kills the process group unless the process has exited, and closes its output.
    func end() {
        close(output)
        guard exit == nil else { return }
        kill(-id, SIGKILL)
        _ = reap(0)
    }

    /// - Returns: Whether the process has exited.
    private func reap(_ options: Int32) -> Bool {
        var status: Int32 = 0
        while exit == nil {
            switch waitpid(id, &status, options) {
            case 0: return false
            case id: exit = status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
            // The process does not exist.
            case _ where errno != EINTR: exit = .signal(0)
            default: continue
            }
        }
        return true
    }
}
