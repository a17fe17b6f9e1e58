import Foundation
import Pledge

// Otherwise, a newly opened file would replace a closed standard stream. Opened in the wrong direction, reading the
// input or writing the output fails, as it should.
for (descriptor, direction) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", direction)
}
// Writing to a closed pipe fails instead of ending the process.
signal(SIGPIPE, SIG_IGN)

let tool = CommandLineTool(
    arguments: Array(CommandLine.arguments.dropFirst()),
    context: RunContext(environment: ProcessInfo.processInfo.environment))
PromiseConfiguration.shared.logHandler = tool.log
exit(tool.run())
