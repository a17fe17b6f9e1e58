import PledgeTestSupport

@testable import PledgeBatch
@testable import PledgeCommand

/// The plan of a simulated night: accounts and their behavior, services that go down, and processes that die.
struct Night: Sendable {
    struct Account: Sendable, Equatable {
        var number: Int
        var service: AccountID.Service
        /// The number of the account's token. Several accounts may share a token.
        var token: Int
        var requests: Int
        var behavior: Behavior
    }

    enum Behavior: Sendable, Equatable {
        case healthy
        case slow(seconds: Double)
        case revoked
        /// The service answers the account's first requests (as many as `times` says) with 429, and may ask for a wait.
        case limited(times: Int, seconds: Double?)
        /// Each response announces that the rate limit allows no request for this many seconds.
        case announcing(seconds: Double)
        case flaky(share: Double)
        case garbled(share: Double)
        /// The service always fails for this account.
        case poison
    }

    struct Outage: Sendable, Equatable {
        var service: AccountID.Service
        var from: Double
        var to: Double
        var isUnreachable: Bool
    }

    enum Death: Sendable, Equatable {
        case kill, powerLoss, interrupt
    }

    struct Process: Sendable, Equatable {
        /// How the process ends early, if it does. `deathTime` says when, in seconds after its start.
        var death: Death?
        var deathTime = 0.0
        var faults = SimulatedDisk.Faults()
        /// Whether the power fails after the process has ended.
        var losesPower = false
        var hasWrongOptions = false
        /// Whether the process repeats accounts with any error, rather than only those with temporary errors.
        var retriesAll = false
    }

    var seed: UInt64
    var rules = BatchRules()
    /// The number of requests that each token of Exist may send in an hour.
    var limit = 300
    var accounts: [Account] = []
    var outages: [Outage] = []
    /// The processes, which run one after another. A last process without faults follows them.
    var processes: [Process] = []

    init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &generator)] }

        rules.inFlight = pick([1, 2, 4, 8, 16])
        rules.longestWait = pick([0, 5, 600, 3600, 3600, 10_000])
        rules.outageWait = pick([0, 30, 900, 900])
        rules.totalRate = chance(0.2) ? pick([3_600, 36_000]) : nil
        rules.mostParked = pick([3, 20, 10_000])
        limit = pick([2, 5, 300])
        // Most nights have few accounts, and some have many.
        let few = chance(0.97)
        let count =
            few
            ? Int.random(in: 10...24, using: &generator) : chance(0.9) ? pick([60, 120]) : pick([400, 1_000, 2_000])
        let (troubled, sharing) = (pick([0, 0.1, 0.5, 1]), pick([0, 0, 0.2]))
        for number in 0..<count {
            let token = number > 0 && chance(sharing) ? Int.random(in: 0..<number, using: &generator) : number
            accounts.append(
                Account(
                    number: number,
                    service: token == number ? pick([.exist, .exist, .mydatahelps]) : accounts[token].service,
                    token: accounts.indices.contains(token) ? accounts[token].token : token,
                    requests: Int.random(in: 1...3, using: &generator),
                    behavior: chance(troubled)
                        ? pick([
                            .slow(seconds: 40), .revoked, .limited(times: 1, seconds: 30),
                            .limited(times: 2, seconds: nil), .limited(times: 9, seconds: 0),
                            .limited(times: 1, seconds: 1e6), .announcing(seconds: 50), .flaky(share: 0.5),
                            .garbled(share: 0.4), .poison,
                        ]) : .healthy))
        }
        for _ in 0..<pick([0, 0, 1, 2]) {
            let from = Double.random(in: -10...60, using: &generator)
            outages.append(
                Outage(
                    service: pick([.exist, .mydatahelps]), from: from, to: from + pick([2, 20, 300, 5_000]),
                    isUnreachable: chance(0.7)))
        }
        for _ in 0..<pick([0, 1, 1, 2, 3]) {
            var process = Process()
            if chance(0.7) {
                process.deathTime = Double.random(in: 0...pick([2, 100, 2_000]), using: &generator)
                process.death = pick([.kill, .powerLoss, .interrupt])
            }
            process.faults.shortWrites = chance(0.3)
            if chance(0.15) { process.faults.room = Int.random(in: 0...4_000, using: &generator) }
            if chance(0.1) { process.faults.failingSync = Int.random(in: 1...20, using: &generator) }
            if chance(0.3) { process.faults.deadlyCall = Int.random(in: 1...pick([12, 60]), using: &generator) }
            process.losesPower = chance(0.5)
            process.hasWrongOptions = chance(0.1)
            process.retriesAll = chance(0.2)
            processes.append(process)
        }
    }

    /// The night as its last process sees it: there are no outages and no long limits, and only revoked accounts fail.
    var calm: Night {
        var night = self
        night.outages = []
        night.rules.longestWait = 1e9
        for index in accounts.indices where accounts[index].behavior != .revoked {
            night.accounts[index].behavior = .healthy
        }
        return night
    }
}
