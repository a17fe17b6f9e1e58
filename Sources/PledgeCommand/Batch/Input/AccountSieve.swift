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

    init(shard: Shard?, environment: [String: String]) {
        self.shard = shard
        self.environment = environment
    }

    mutating func take(_ line: LineReader.Line) -> Finding {
        number += 1
        guard !line.bytes.allSatisfy({ " \t\r".utf8.contains($0) }) else { return .nothing }
        do {
            guard line.length <= AccountReader.longestLine else {
                throw BadLine(number: number, problem: "it is longer than \(AccountReader.longestLine) bytes")
            }
            let account = try AccountLine(line.bytes, number: number, environment: environment)
            guard shard?.contains(account.id) ?? true else { return .nothing }
            guard met.insert(account.id.key).inserted else {
                return .skipped(.duplicate(line: number, account.id))
            }
            return .account(account)
        } catch {
            return .skipped(.bad(error as? BadLine ?? BadLine(number: number, problem: "\(error)")))
        }
    }
}

/// What stands in an input that can be read twice: read before anything is sent, so that what is left is known.
struct InputSurvey {
    /// Accounts of this shard.
    let accounts: Set<AccountKey>

    init(_ lines: LineReader, _ sieve: AccountSieve, report: (AccountSieve.Skipped) -> Void) throws {
        var sieve = sieve
        while let line = try lines.next() {
            if case .skipped(let skipped) = sieve.take(line) { report(skipped) }
        }
        accounts = sieve.met
    }
}
