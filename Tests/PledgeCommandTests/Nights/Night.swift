import PledgeTestSupport

@testable import PledgeBatch
@testable import PledgeCommand

/// A simulated night: accounts and their behavior, services that go down, and processes that die.
struct Night: Sendable {
    struct Account: Sendable, Equatable {
        var number: Int
        var service: AccountID.Service
        /// Several accounts may share one.
        var token: Int
        var requests: Int
        var behavior: Behavior
    }

    enum Behavior: Sendable, Equatable {
        case healthy
        case slow(seconds: Double)
        case revoked
        /// The first responses, this many, are 429.
        case limited(times: Int, seconds: Double?)
        /// Each response announces that nothing is left for this long.
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
        /// How it ends early, and when: in seconds after its start.
        var death: Death?
        var deathTime = 0.0
        var faults = SimulatedDisk.Faults()
        /// Whether the power fails when the process has ended.
        var losesPower = false
        var hasWrongOptions = false
        /// Whether it retries all errors, rather than the usual ones.
        var retriesAll = false
    }

    var seed: UInt64
    var rules = Schedule.Rules()
    /// The number of requests in a period for each token of Exist.
    var limit = 300
    var accounts: [Account] = []
    var outages: [Outage] = []
    /// They run one after another, followed by a last one without faults.
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
        // Most are short, with a long one now and then.
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

    /// The final state: nothing goes wrong any more except what is the accounts' own fault.
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
