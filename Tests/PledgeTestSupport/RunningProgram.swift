import Foundation
import Pledge

/// A program that runs beside the tests, in a process group of its own.
///
/// Not Foundation's `Process`, which on Linux now and then ends the process where several threads start one.
package final class RunningProgram: Sendable {
    package let id: pid_t
    private let exit: Promise<Int32>

    /// - Parameters:
    ///   - words: The program, as a path or a name to look up in `PATH`, and its arguments.
    ///   - folder: The directory it runs in; the tests' own unless given.
    ///   - environment: Its environment; the tests' own unless given.
    ///   - streams: The descriptors of its input, output, and errors, which stay open here; nil for `/dev/null`.
    package init(
        _ words: [String], in folder: URL? = nil, environment: [String: String]? = nil,
        _ streams: (input: Int32?, output: Int32?, errors: Int32?) = (nil, nil, nil)
    ) throws {
        #if canImport(Darwin)
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
            let alone = POSIX_SPAWN_CLOEXEC_DEFAULT
        #else
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
            let alone: Int32 = 0
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        // A descriptor below 3 would be replaced before it is used, and one that is the same stays closed on exec.
        let given = [streams.input, streams.output, streams.errors].map { $0.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } }
        for (number, descriptor) in zip(STDIN_FILENO..., given) {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // None of the signals that are blocked or ignored here.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGHUP, SIGINT, SIGPIPE, SIGTERM] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | alone))
        let words = folder.map { ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, $0.path] + words } ?? words
        let arguments = words.map { strdup($0) } + [nil]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
            (arguments + variables).forEach { free($0) }
            for case let descriptor? in given { close(descriptor) }
        }
        var child: pid_t = 0
        let failure = posix_spawnp(&child, words[0], &actions, &attributes, arguments, variables)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
        let (exit, resolver) = Promise<Int32>.pending()
        (id, self.exit) = (child, exit)
        Thread.detachNewThread { [id] in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            resolver.fulfill(status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F))
        }
    }

    package var isRunning: Bool { exit.isPending }

    package func send(_ signal: Int32) { kill(id, signal) }

    /// Returns the exit code, or for a program that was killed, the negated signal.
    package func end() async -> Int32 {
        // It is never rejected.
        (try? await exit.value) ?? -1
    }

    /// The same, blocking the current thread.
    @discardableResult
    package func wait() -> Int32 { (try? exit.wait()) ?? -1 }
}

/// A file without a name, which is gone when it is closed.
package final class UnnamedFile: Sendable {
    package let descriptor: Int32

    package init(_ text: String = "") throws {
        var path = Array("\(NSTemporaryDirectory())/pledge-stream-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let bytes = Array(text.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    deinit { close(descriptor) }

    package func copy() -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    package var text: String {
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
