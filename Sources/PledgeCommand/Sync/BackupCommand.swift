import Foundation
import PledgeHistory

/// `pledge backup`: copies a database, even while a sync writes it.
enum BackupCommand {
    static let command = Command(
        name: "backup", summary: "copy a database, even during a sync", part: .machines,
        operands: .init(form: "FILE.db TO", count: 2...2, completes: .files),
        examples: [
            "pledge backup study.db monday.db": "of this moment, accessible only to you, and checked"
        ],
        notes: [
            .init(
                title: "RESTORING",
                text: """
                    End all runs, and copy the backup to the place of the database with the same command. A backup that exists is
                    replaced as a whole once the new one is complete; a file of another kind is never replaced. What was
                    erased with “pledge forget” is still in older backups.
                    """)
        ]
    ) { arguments in
        let path = arguments.operands[0]
        let target = arguments.operands[1]
        guard FileManager.default.fileExists(atPath: path) else { throw UsageError("There is no \(path).") }
        try History(reading: path).backUp(to: target)
        try arguments.terminal.write("\(target) has all of \(path), as of now.\n")
        return 0
    }
}
