import Foundation
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

/// Tests the files in `Cluster`, which run `pledge export` on many machines. Here they run on this machine only.
@Suite("`pledge export` on many machines", .serialized)
final class ClusterTests: ToolSuite {
    private static let files = "Tests/PledgeCommandTests/Cluster/"

    private let stranger = #"{"service":"exist","account":"stranger","token":"unknown"}"# + "\n"

    /// Checks that the result files have every account once, and that only the account “stranger” has an error.
    private func check(_ files: [String], _ numbers: ClosedRange<Int>) throws {
        let results = try files.flatMap { try folder.lines($0).map { try ResultLine($0) } }
        #expect(results.map(\.account).sorted() == (numbers.map { "a\($0)" } + ["stranger"]).sorted())
        #expect(results.filter { $0.errorKind != nil }.map(\.account) == ["stranger"])
    }

    @Test("The pods of the Kubernetes job together export every account once, even if one pod runs again")
    func indexedJob() async throws {
        _ = try accounts(sandboxes.lines(1...40) + stranger)
        let manifest = try Repository.text(Self.files + "indexed-job.yaml")
        let lines = manifest.components(separatedBy: "\n")
        let begin = try #require(lines.firstIndex { $0.hasSuffix(" args:") })
        let arguments = lines[(begin + 1)...].map { $0.trimmingCharacters(in: .whitespaces) }
            .prefix { $0.hasPrefix("- \"") }.map { String($0.dropFirst(3).dropLast()) }
        let count = try #require(lines.first { $0.hasPrefix("  completions: ") }.flatMap { Int($0.dropFirst(15)) })
        #expect(arguments.first == "export" && arguments.contains("$(JOB_COMPLETION_INDEX)/\(count)"))
        let broken = ServerResponse.json(["count": 1, "next": .null, "results": [[:]]])
        sandboxes.server.script.next(.max, matching: "GET /api/2/averages/", respond: broken)
        for index in Array(0..<count) + [3] {
            // A pod exits with code 0 although one account has an unknown token and one list can't be read.
            try await Tool.run(
                arguments.map {
                    $0.replacingOccurrences(of: "$(JOB_COMPLETION_INDEX)", with: "\(index)")
                        .replacingOccurrences(of: "/data", with: folder.url.path)
                } + ["--sections", "profile,averages,participant"], sandboxes.environment)
        }
        try check(folder.names.filter { $0.hasPrefix("results-") && $0.hasSuffix(".jsonl") }, 1...40)
    }

    @Test(
        "The articles show the tested systemd unit, job, and alarm rules, and explain every alarm and kind of error")
    func runbook() throws {
        func text(_ path: String) throws -> String {
            try Repository.text(path).replacingOccurrences(of: " \\\n   ", with: "")
        }
        let articles = "Sources/PledgeCommand/PledgeCommand.docc/"
        let article = try text(articles + "RunningNightly.md")
        for (shown, language, name) in [
            (article, "ini", "pledge-sync.service"), (article, "yaml", "pledge-rules.yaml"),
            (try text(articles + "BatchJobs.md"), "yaml", "indexed-job.yaml"),
        ] {
            let file = try text(Self.files + name)
            let block = try #require(shown.components(separatedBy: "```\(language)\n").dropFirst().first)
            for line in block.components(separatedBy: "```")[0].split(separator: "\n") {
                #expect(file.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
            }
        }
        for name in ["pledge-sync.service", "pledge-sync.timer", "nightly-cronjob.yaml", "pledge-rules.yaml"] {
            #expect(article.contains(name))
        }
        for alarm in try text(Self.files + "pledge-rules.yaml").matches(of: /alert: (\w+)/) {
            #expect(article.contains(alarm.1), "\(alarm.1)")
        }
        for kind in AccountError.syncKinds.subtracting(["redirected", "untrusted", "other"]) {
            #expect(article.contains("`\(kind)`"), "\(kind)")
        }
    }

    /// A Python that has PySpark; nil if PySpark or the Java that it needs isn't installed.
    private static let python = Executable.path("java") == nil ? nil : Executable.python(with: "pyspark")

    @Test(
        "The Spark job exports every account once, including accounts that fail",
        .enabled(if: ClusterTests.python != nil, "PySpark is not installed"))
    func sparkJob() async throws {
        let python = try #require(Self.python)
        let input = try accounts(sandboxes.lines(1...20) + sandboxes.line(1) + "\n" + stranger)
        let spark = try Executable.run(
            [
                python, Repository.file(Self.files + "spark_export.py").path, input, folder.path("results"), "3",
                Tool.executable.path,
            ], in: folder.url,
            environment: ProcessInfo.processInfo.environment.adding(sandboxes.environment).adding([
                "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python, "MASTER": "local[2]",
            ]))
        #expect(spark.status == 0, "\(spark.output.suffix(3_000))")
        let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path("results"))
            .filter { $0.hasPrefix("part-") }
        #expect(parts.count == 3)
        try check(parts.map { "results/\($0)" }, 1...20)
    }
}
