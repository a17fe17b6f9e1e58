import Foundation
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// The files that run `pledge export` on many machines, run on this one.
@Suite("`pledge export` on many machines", .serialized)
struct ClusterTests {
    private static let files = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Cluster")

    let sandboxes: BothSandboxes
    let folder: TemporaryFolder

    init() throws {
        sandboxes = try BothSandboxes()
        folder = try TemporaryFolder()
        let stranger = #"{"service":"exist","account":"stranger","token":"unknown"}"# + "\n"
        try folder.file("accounts.jsonl", holding: sandboxes.lines(1...40) + stranger)
    }

    @Test("The pods of the Kubernetes job export every account once between them, even if one is run again")
    func indexedJob() async throws {
        let manifest = try String(contentsOf: Self.files.appendingPathComponent("indexed-job.yaml"), encoding: .utf8)
        let lines = manifest.components(separatedBy: "\n")
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" args:") })
        let arguments = lines[(begin + 1)...].map { $0.trimmingCharacters(in: .whitespaces) }
            .prefix { $0.hasPrefix("- \"") }.map { String($0.dropFirst(3).dropLast()) }
        let count = try #require(lines.first { $0.hasPrefix("  completions: ") }.flatMap { Int($0.dropFirst(15)) })
        #expect(arguments.first == "export" && arguments.contains("$(JOB_COMPLETION_INDEX)/\(count)"))

        for index in Array(0..<count) + [3] {
            let run = try await Tool.run(
                arguments.map {
                    $0.replacingOccurrences(of: "$(JOB_COMPLETION_INDEX)", with: "\(index)")
                        .replacingOccurrences(of: "/data", with: folder.url.path)
                } + ["--sections", "profile,participant"], sandboxes.environment)
            #expect(run.status == 0, "\(run.errors)")
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { $0.hasPrefix("results-") && $0.hasSuffix(".jsonl") }
        let results = try files.flatMap { try folder.lines($0).map { try ResultLine($0) } }
        #expect(results.map(\.account).sorted() == ((1...40).map { "a\($0)" } + ["stranger"]).sorted())
        #expect(results.filter { $0.errorKind != nil }.map(\.account) == ["stranger"], "not a failure of its pod")
    }

    @Test("What the runbook shows of units and rules is in the files that are checked")
    func runbook() throws {
        let article = try String(
            contentsOf: Self.files.appendingPathComponent(
                "../../../Sources/PledgeCommand/PledgeCommand.docc/RunningNightly.md"), encoding: .utf8)
        for (language, name) in [("ini", "pledge-sync.service"), ("yaml", "pledge-rules.yaml")] {
            let file = try String(contentsOf: Self.files.appendingPathComponent(name), encoding: .utf8)
                .replacingOccurrences(of: " \\\n   ", with: "")
            let block = try #require(article.components(separatedBy: "```\(language)\n").dropFirst().first)
            for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                #expect(file.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
            }
        }
        for name in ["pledge-sync.service", "pledge-sync.timer", "nightly-cronjob.yaml", "pledge-rules.yaml"] {
            #expect(article.contains(name))
        }
        for kind in AccountError.syncKinds.subtracting(["redirected", "untrusted", "other"]) {
            #expect(article.contains("`\(kind)`"), "\(kind)")
        }
    }

    /// A Python with PySpark, and the Java that it needs; the package itself depends on neither.
    private static let python: String? = {
        let named = ProcessInfo.processInfo.environment["PLEDGE_PYTHON"] ?? "python3"
        let probe = try? Executable.run(["sh", "-c", "command -v java && \"$0\" -c 'import pyspark'", named])
        return probe?.status == 0 ? named : nil
    }()

    @Test(
        "The Spark job exports every account once, including those that fail",
        .enabled(if: ClusterTests.python != nil, "PySpark is not installed"), .timeLimit(.minutes(60)))
    func sparkJob() async throws {
        let python = try #require(Self.python)
        let twice = sandboxes.line(1) + "\n" + #"{"service":"exist","account":"stranger","token":"unknown"}"# + "\n"
        try folder.file("accounts.jsonl", holding: sandboxes.lines(1...20) + twice)
        let spark = Process()
        spark.executableURL = URL(fileURLWithPath: "/bin/sh")
        spark.arguments = [
            "-c", "exec \"$0\" \"$@\" 2>spark.log", python, Self.files.appendingPathComponent("spark_export.py").path,
            folder.path("accounts.jsonl"), folder.path("results"), "3", Tool.executable.path,
        ]
        spark.currentDirectoryURL = folder.url
        var environment = ProcessInfo.processInfo.environment.merging(sandboxes.environment) { $1 }
        environment["SPARK_LOCAL_IP"] = "127.0.0.1"
        environment["PYSPARK_PYTHON"] = python
        environment["MASTER"] = "local[2]"
        spark.environment = environment
        let ended = DispatchGroup()
        ended.enter()
        spark.terminationHandler = { _ in ended.leave() }
        try spark.run()
        await withCheckedContinuation { continuation in
            ended.notify(queue: .global()) { continuation.resume() }
        }

        #expect(spark.terminationStatus == 0, "\(folder.text("spark.log").suffix(3000))")
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path("results"))
            .filter { $0.hasPrefix("part-") }
        let results = try parts.flatMap { try folder.lines("results/\($0)").map { try ResultLine($0) } }
        #expect(parts.count == 3)
        #expect(results.map(\.account).sorted() == ((1...20).map { "a\($0)" } + ["stranger"]).sorted())
        #expect(results.filter { $0.errorKind != nil }.map(\.account) == ["stranger"])
    }
}
