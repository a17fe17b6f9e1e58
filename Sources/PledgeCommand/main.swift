import Foundation
import Pledge

// If a standard stream is closed, the next file that is opened would take its place. So the stream is opened here, in
// the wrong direction: reading the input or writing the output then fails, as it should.
for (descriptor, direction) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", direction)
}
// With this, writing to a closed pipe fails instead of ending the process.
signal(SIGPIPE, SIG_IGN)

let tool = CommandLineTool(
    arguments: Array(CommandLine.arguments.dropFirst()),
    context: RunContext(environment: ProcessInfo.processInfo.environment))
PromiseConfiguration.shared.logHandler = tool.log
exit(tool.run())
