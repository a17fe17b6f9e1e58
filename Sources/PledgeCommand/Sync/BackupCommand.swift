import Foundation
import PledgeHistory

/// `pledge backup`: copies a database, even while a sync is writing to it.
enum BackupCommand {
    static let command = Command(
        name: "backup", summary: "copy a database, even during a sync", part: .machines,
        operands: .init(form: "FILE.db TO", count: 2...2, completes: .files),
        examples: [
            "pledge backup study.db monday.db": "a checked copy of the database as it is now, accessible only to you"
        ],
        notes: [
            .init(
                title: "RESTORING",
                text: """
                    To restore a backup, stop all runs, and copy the backup over the database with this command. An existing
                    backup is replaced only once the new one is complete; a file of another kind is never replaced. Older
                    backups still have what “pledge forget” has erased.
                    """)
        ]
    ) { arguments in
        let path = arguments.operands[0]
        let target = arguments.operands[1]
        guard FileManager.default.fileExists(atPath: path) else { throw UsageError("There is no \(path).") }
        try History(reading: path).backUp(to: target)
        try arguments.terminal.write("\(target) has all data of \(path), as of now.\n")
        return .success
    }
}
