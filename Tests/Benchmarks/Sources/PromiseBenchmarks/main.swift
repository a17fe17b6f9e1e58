import Foundation

do {
    switch try Command(Array(CommandLine.arguments.dropFirst())) {
    case .help:
        print(Command.usage)
    case .deep(let cases):
        exit(runDeep(cases) ? 0 : 1)
    case .profile(let workload, let contender, let repeats):
        for _ in 0..<repeats { _ = workload.time(contender) }
    case .count(let work, let withPromises, let count):
        try work.run(withPromises: withPromises, count: count)
    case .compare(let options):
        let comparison = Comparison(options)
        for table in comparison.tables { print("\(table)\n") }
        for gate in comparison.gates { print(gate) }
        if let path = options.jsonPath { try comparison.write(to: path) }
        if options.checks, comparison.gates.contains(where: { !$0.holds }) { exit(1) }
    }
} catch let error as UsageError {
    progress("\(error.message)\n\n\(Command.usage)")
    exit(2)
} catch {
    progress("\(error)")
    exit(2)
}
