import Foundation
import Pledge

/// A program that runs beside the tests, in a process group of its own.
///
/// This class doesn't use Foundation's `Process`: on Linux, `Process` sometimes ends the calling process if several threads
/// start programs.
package final class RunningProgram: Sendable {
    package let id: pid_t
    private let exit: Promise<Int32>

    /// - Parameters:
    ///   - words: The program, as a path or a name to look up in `PATH`, and its arguments.
    ///   - folder: The directory in which the program runs. By default, it is that of the tests.
    ///   - environment: The program's environment. By default, it is that of the tests.
    ///   - streams: The descriptors for the program's input, output, and errors, or nil for `/dev/null`. The descriptors stay
    ///     open in this process.
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
        // Copies the descriptors to numbers above 2. Otherwise, a descriptor could be overwritten before it is copied, and a
        // descriptor that already has the right number would be closed when the program starts.
        let given = [streams.input, streams.output, streams.errors].map { $0.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } }
        for (number, descriptor) in zip(STDIN_FILENO..., given) {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, number)
            } else {
                posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        // The program must not block or ignore the signals that this process blocks or ignores.
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

    /// Waits for the program to end. Returns its exit code or, if a signal has killed it, the negated number of the signal.
    package func end() async -> Int32 {
        // This promise is never rejected.
        (try? await exit.value) ?? -1
    }

    /// Waits like `end()`, but blocks the current thread.
    @discardableResult
    package func wait() -> Int32 { (try? exit.wait()) ?? -1 }
}

/// A file without a name, which the system deletes when it is closed.
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
