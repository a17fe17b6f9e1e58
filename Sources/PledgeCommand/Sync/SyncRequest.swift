import ExistKit
import Foundation

/// What `pledge sync` was asked for.
struct SyncRequest: Equatable {
    var database: String
    /// Whether the accounts come from a file or from standard input, instead of being one's own.
    var hasAccounts = false
    var overlap = 14
    var tokenKind = ExistAPI.TokenKind.bearer
    var batch = BatchOptions()

    /// What makes sense for one's own account, too.
    private static let common = ["--rate", "--wait", "--timeout", "--transport", "--quiet"]

    init(_ arguments: [String]) throws {
        var flags = Flags(arguments, of: "pledge sync")
        var files: [String] = []
        var target: String?
        // The last option that only makes sense for many accounts, or for one's own.
        var (forAccounts, forOne): (String?, String?)
        while let flag = try flags.next() {
            switch flag {
            case .value(let file): files.append(file)
            case .name("--database"): target = try flags.text("a file")
            case .name("--overlap"): overlap = try flags.number(0...3660)
            case .name("--token-kind"):
                tokenKind = try flags.choice(["bearer": .bearer, "simple": .simple])
                forOne = "--token-kind"
            case .name(let name):
                guard try batch.take(name, &flags) else { throw flags.unknown }
                if !Self.common.contains(name) { forAccounts = name }
            }
        }
        guard files.count <= 1 else { throw UsageError("“pledge sync” takes one file: “\(files[1])” is too many.") }
        if let target {
            if let forOne { throw UsageError("\(forOne) is for one's own account: the lines of accounts say it.") }
            (database, hasAccounts) = (target, true)
            batch.input = files.first == "-" ? nil : files.first
        } else {
            guard let file = files.first else {
                throw UsageError("“pledge sync” needs a file to keep the data in, such as tracking.db.")
            }
            if let forAccounts { throw UsageError("\(forAccounts) is for many accounts, with --database FILE.") }
            guard !file.hasSuffix(".jsonl") else {
                throw UsageError("\(file) looks like a file of accounts: say where to with --database FILE.")
            }
            database = file
        }
    }
}
