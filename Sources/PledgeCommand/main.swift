import Foundation

let tool = CommandLineTool(
    arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
exit(tool.run())
