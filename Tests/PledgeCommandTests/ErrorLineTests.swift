import Foundation
import Pledge
import PledgeSandbox
import PledgeTestSupport
import Testing

@testable import PledgeCommand

@Suite("Lines on standard error", .serialized)
struct ErrorLineTests {
    @Test("An error is wrapped to the terminal's width, but never within a URL; a report in ASCII keeps its columns")
    func wrapped() {
        let words = "Open “https://exist.io/account/apps/” … é 喝 now"
        #expect(ErrorLine(words, width: 20).text == "Open\n“https://exist.io/account/apps/”\n… é 喝 now\n")
        #expect(words.inASCII == "Open \"https://exist.io/account/apps/\" ... e ?? now")
        let report = TextReport(report: .hostile).rendered()
        #expect(report.inASCII.utf8.allSatisfy { $0 < 0x80 })
        #expect(
            report.inASCII.split(separator: "\n").map(\.count)
                == report.split(separator: "\n").map { String($0).columns + 2 * $0.count { $0 == "…" } })
    }

    @Test(
        "Output is ASCII if the locale's encoding isn't UTF-8 or the terminal is dumb",
        arguments: [
            (["LC_ALL": "C"], true), (["LC_ALL": "C", "LANG": "en_US.UTF-8"], true), (["LANG": "POSIX"], true),
            (["LANG": "de_DE.ISO-8859-1@euro"], true), (["TERM": "dumb", "LANG": "en_US.UTF-8"], true), ([:], false),
            (["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"], false), (["LANG": "sv_SE.utf8"], false),
            (["LANG": "en_US"], false), (["LANG": "@"], false), (["LANG": "."], false),
        ])
    func locale(environment: [String: String], isASCII: Bool) {
        #expect(Terminal(environment: environment).isASCII == isASCII)
    }

    @Test("The tool prints the library's notes as its own, but not the library's events for programmers")
    func notes() throws {
        let folder = try TemporaryFolder()
        var tool = CommandLineTool(arguments: [], context: RunContext())
        let file = try FileHandle(forWritingTo: folder.file("errors", holding: ""))
        tool.context.terminal.errors = file.fileDescriptor
        for event in [
            .unhandled(Failure("lost"), type: "Promise<Int>", from: nil), .cauterized(Failure("lost")),
            .guaranteeDropped(file: "a.swift", line: 1), .note(String(repeating: "word ", count: 20) + "end."),
        ] as [PromiseEvent] {
            switch event {
            // The switch has no default case. So a new kind of event doesn't compile until this switch says whether the
            // tool prints it.
            case .unhandled, .cauterized, .guaranteeDropped, .note: tool.log(event)
            }
        }
        #expect(folder.text("errors") == "pledge: " + String(repeating: "word ", count: 20) + "end.\n")
    }

    @Test("With --ca-file, a file's certificates replace the system's; with URLSession, the option is an error")
    func certificates() async throws {
        let sandbox = try ExistSandbox.start(now: { TestClock.noon })
        defer { sandbox.stop() }
        let address = ["EXIST_BASE_URL": "https://127.0.0.1:\(sandbox.baseURL.port ?? 0)/"]
        for (transport, code, reason) in [
            ("curl", 1, "trusted certificates cannot be read"), ("urlsession", 64, "needs libcurl"),
        ] as [(String, Int32, String)] {
            let environment = sandbox.environment.adding(address).adding(["PLEDGE_TRANSPORT": transport])
            try await Tool.run(["profile", "--ca-file", #filePath], environment, exits: code, saying: reason)
        }
    }
}
