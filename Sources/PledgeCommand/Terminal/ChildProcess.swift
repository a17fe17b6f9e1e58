import Foundation

/// A process that was started without a shell. Its standard output is read by ``read(atMost:until:)``.
///
/// Its error output is discarded. It has its own process group, so that Ctrl-C in the terminal doesn't reach it.
/// Foundation's `Process` isn't used, because it can't be waited for with a time limit.
final class ChildProcess {
    enum Exit {
        case code(Int32)
        case signal(Int32)
    }

    private let id: pid_t
    private let output: Int32
    private var exit: Exit?

    /// - Parameters:
    ///   - words: The program and its arguments. The program is looked up in `PATH` unless it contains a slash.
    ///   - input: The bytes that the process can read from standard input and, if there is a second element, from
    ///     `/dev/fd/3`. Each element must fit into a pipe.
    init(_ words: [String], _ environment: [String: String], input: [Data] = []) throws {
        // Only one thread at a time starts a process. Otherwise, a process that another thread starts could inherit
        // these pipes and keep them open. Starting a process takes up to five file descriptors for a moment. After
        // that, a running process takes one.
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

    /// Returns the read end of a pipe that contains the given bytes.
    private static func source(of bytes: Data) throws(Failure) -> Int32 {
        let ends = try makePipe()
        // The write can't fail, because this process still has the read end. It can't block, because the bytes fit into
        // the pipe.
        _ = bytes.withUnsafeBytes { write(ends.write, $0.baseAddress, $0.count) }
        close(ends.write)
        return ends.read
    }

    /// The signals that this tool may ignore. A child process would ignore them, too, so each child process is started
    /// with their default effect.
    private static let ignored = [SIGINT, SIGTERM, SIGHUP, SIGPIPE]

    /// Whether a variable contains one of this tool's secrets. Child processes must not get such variables.
    static func isSecret(_ variable: String) -> Bool {
        ["EXIST_", "MYDATAHELPS_"].contains { variable.hasPrefix($0) }
            && ["TOKEN", "SECRET"].contains { variable.hasSuffix($0) }
    }

    /// Starts a program without a shell. All child processes of this tool are started by this method.
    ///
    /// The program is looked up in `PATH` unless its name contains a slash. It gets its own process group, no blocked
    /// signals, and no open files except `streams`.
    ///
    /// - Parameters:
    ///   - environment: The program's environment. This method removes the tool's secrets from it.
    ///   - streams: The program's standard input, standard output, and standard error, followed by any other open
    ///     files. A nil element becomes `/dev/null`.
    static func spawn(
        _ words: [String], _ environment: [String: String], streams: [Int32?]
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
            // With this flag, the program inherits only the given streams, even if another thread opens a file at the
            // same moment.
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
        guard failure == 0 else { throw Failure(String(cString: strerror(failure))) }
        return child
    }

    static func makePipe() throws(Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Reads the process's output until it ends, or until `count` bytes were read, and returns it. Returns nil if the
    /// deadline passes first.
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

    /// Waits until the process has exited, and returns its exit code or signal. Returns nil if the deadline passes
    /// first.
    func exit(until deadline: DispatchTime) -> Exit? {
        while !reap(WNOHANG) {
            guard DispatchTime.now() < deadline else { return nil }
            usleep(1_000)
        }
        return exit
    }

    /// Closes the output of the process, and kills its process group unless the process has already exited.
    func end() {
        close(output)
        guard exit == nil else { return }
        kill(-id, SIGKILL)
        _ = reap(0)
    }

    /// Calls `waitpid` to find out whether the process has exited. With `WNOHANG` as `options`, this method returns at
    /// once. With 0, it waits for the exit.
    ///
    /// - Returns: Whether the process has exited.
    private func reap(_ options: Int32) -> Bool {
        var status: Int32 = 0
        while exit == nil {
            switch waitpid(id, &status, options) {
            case 0: return false
            case id: exit = status & 0x7F == 0 ? .code(status >> 8 & 0xFF) : .signal(status & 0x7F)
            // There is no such process to wait for, so its exit status is unknown.
            case _ where errno != EINTR: exit = .signal(0)
            default: continue
            }
        }
        return true
    }
}
