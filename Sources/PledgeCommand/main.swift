import Foundation
import Pledge

// If this process was started with a closed standard stream, the next file that it opens would get that stream's
// descriptor, and could be overwritten by the output. So /dev/null is opened in place of each closed stream. It is
// opened in the wrong direction: standard input only for writing, and the outputs only for reading. So any use of the
// stream fails, as it should.
for (descriptor, direction) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
where fcntl(descriptor, F_GETFD) < 0 {
    _ = open("/dev/null", direction)
}
// A write to a closed pipe then fails with an error instead of ending the process.
signal(SIGPIPE, SIG_IGN)

let tool = CommandLineTool(
    arguments: Array(CommandLine.arguments.dropFirst()),
    context: RunContext(environment: ProcessInfo.processInfo.environment))
PromiseConfiguration.shared.logHandler = tool.log
exit(tool.run().rawValue)
