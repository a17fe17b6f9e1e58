import Foundation

// Measures the CPU seconds to insert values into a new database, by PledgeHistory, by the `sqlite3` shell from a CSV
// file, and by GRDB. All insert into the same table, and take turns.
// swift run -c release -Xswiftc -enable-testing --package-path Tests/Benchmarks HistoryBenchmarks
//     [--values 1000000] [--rounds 5] [--check]

let arguments = CommandLine.arguments.dropFirst()
func option(_ name: String) -> Int? {
    arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0).first }.flatMap { Int($0) }
}

let rounds = option("--rounds") ?? 5
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-benchmarks-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let values = Values(count: option("--values") ?? 1_000_000)
let csv = folder.appendingPathComponent("values.csv")
try values.csv.write(to: csv)

let contenders: [any Contender] = [OwnContender(), ShellContender(csv: csv), GRDBContender()]
var times: [[Double]] = contenders.map { _ in [] }
for round in 0..<rounds {
    for index in contenders.indices.shuffled() {
        let file = folder.appendingPathComponent("\(round)-\(index).db").path
        try prepare(file, values)
        let before = cpuSeconds()
        try contenders[index].insert(values, into: file)
        times[index].append(cpuSeconds() - before)
        try check(file, values)
        try FileManager.default.removeItem(atPath: file)
    }
}
try? FileManager.default.removeItem(at: folder)

let medians = times.map { $0.sorted()[$0.count / 2] }
for (contender, median) in zip(contenders, medians) {
    print("\(contender.name): \(shown(median)) s CPU for \(values.count) values")
}
let ratios = (shell: medians[0] / medians[1], grdb: medians[0] / medians[2])
print("PledgeHistory takes \(shown(ratios.shell)) of the shell, at most 3")
print("PledgeHistory takes \(shown(ratios.grdb)) of GRDB, at most 1")
if arguments.contains("--check"), ratios.shell > 3 || ratios.grdb > 1 { exit(1) }

func shown(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }

/// Returns the CPU seconds of this process, and of all child processes that have ended and were waited for.
func cpuSeconds() -> Double {
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    // 0 and -1 are RUSAGE_SELF and RUSAGE_CHILDREN, which have different types in Darwin and Glibc.
    return ([0, -1] as [Int32]).reduce(0) { sum, who in
        var usage = rusage()
        #if canImport(Glibc)
            getrusage(__rusage_who_t(who), &usage)
        #else
            getrusage(who, &usage)
        #endif
        return sum + seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}
