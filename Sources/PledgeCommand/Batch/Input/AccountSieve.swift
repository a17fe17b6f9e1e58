/// Tells what a line of the input is: those of this shard, each once.
struct AccountSieve {
    enum Skipped {
        case bad(BadLine)
        /// Stands in the input a second time.
        case duplicate(line: Int, AccountID)
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

    /// - Parameter report: told what is left out, and why.
    /// - Returns: the account of the line, if there is one to do.
    /// - Throws: at what is no input at all.
    mutating func take(_ line: LineReader.Line, _ report: (Skipped) -> Void) throws(UsageError) -> AccountLine? {
        number += 1
        guard !line.bytes.allSatisfy({ " \t\r".utf8.contains($0) }) else { return nil }
        do throws(BadLine) {
            guard line.length <= AccountReader.longestLine else {
                throw BadLine(number: number, problem: "it is longer than \(AccountReader.longestLine) bytes")
            }
            let account = try AccountLine(line.bytes, number: number, environment: environment)
            isOfAccounts = true
            guard shard?.contains(account.id) ?? true else { return nil }
            if met.insert(account.id.key).inserted { return account }
            report(.duplicate(line: number, account.id))
        } catch {
            guard isOfAccounts || number < Self.patience else {
                throw UsageError("None of the first \(Self.patience) lines of the input names an account.")
            }
            report(.bad(error))
        }
        return nil
    }
}
