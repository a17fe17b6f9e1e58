/// Tells what a line of the input is: those of this shard, each once.
struct AccountSieve {
    enum Skipped {
        case bad(BadLine)
        /// Stands in the input a second time.
        case duplicate(line: Int, AccountID)
    }

    enum Finding {
        case account(AccountLine)
        case skipped(Skipped)
        case nothing
    }

    let shard: Shard?
    let environment: [String: String]
    private(set) var met: Set<AccountKey> = []
    private var number = 0
    private var isOfAccounts = false

    /// Bad lines at the beginning after which the others are not looked at.
    private static let patience = 100

    init(shard: Shard?, environment: [String: String]) {
        self.shard = shard
        self.environment = environment
    }

    /// - Throws: at what is no input at all.
    mutating func take(_ line: LineReader.Line) throws(UsageError) -> Finding {
        number += 1
        if number == 1, line.bytes.starts(with: "SQLite format 3\0".utf8) {
            throw UsageError("The input is a SQLite database, and not lines of accounts.")
        }
        guard !line.bytes.allSatisfy({ " \t\r".utf8.contains($0) }) else { return .nothing }
        do {
            guard line.length <= AccountReader.longestLine else {
                throw BadLine(number: number, problem: "it is longer than \(AccountReader.longestLine) bytes")
            }
            let account = try AccountLine(line.bytes, number: number, environment: environment)
            isOfAccounts = true
            guard shard?.contains(account.id) ?? true else { return .nothing }
            guard met.insert(account.id.key).inserted else {
                return .skipped(.duplicate(line: number, account.id))
            }
            return .account(account)
        } catch {
            guard isOfAccounts || number < Self.patience else {
                throw UsageError("None of the first \(Self.patience) lines of the input names an account.")
            }
            return .skipped(.bad(error as? BadLine ?? BadLine(number: number, problem: "\(error)")))
        }
    }
}
