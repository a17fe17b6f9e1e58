//: # Batch job
//: Many accounts, a few at a time, one number from each: what `pledge export` does, in forty lines.
import ExistKit
import Foundation
import PledgeSandbox

let sandbox = try ExistSandbox.start()

struct Account: Sendable {
    var name: String
    var token: String
}

struct Failed: Error {
    var name: String
    var reason: any Error
}

//: Any sequence will do. It is consumed as capacity allows, so it need not fit into memory.
let accounts = (1...200).map { number -> Account in
    sandbox.addToken("token-\(number)")
    // One account has a token that the service does not accept.
    return Account(name: "user-\(number)", token: number == 17 ? "stale" : "token-\(number)")
}

//: Each account has its own client and rate limit: a limiter keeps within the limit, a retry handles brief failures.
@Sendable func averageSteps(_ account: Account) -> Promise<Double> {
    let existAPI = ExistAPI(
        token: account.token, baseURL: sandbox.baseURL,
        options: ExistAPI.usualOptions.with { $0.limiter = RateLimiter(limit: 300) })
    return existAPI.attributes(names: ["steps"], days: 31).map { attributes, _ in
        let steps = attributes.flatMap(\.values).compactMap { $0.value?.double }
        return steps.reduce(0, +) / Double(max(1, steps.count))
    }
}

//: One failing account does not affect the others: its error is its result.
let job = when(resolved: accounts, concurrently: 16) { account in
    averageSteps(account).mapError { error in Failed(name: account.name, reason: error) }
}
let outcomes = job.wait()
let averages = outcomes.compactMap { try? $0.get() }
print(averages.count, "accounts walk", Int(averages.reduce(0, +) / Double(averages.count)), "steps a day")
for case .failure(let error as Failed) in outcomes { print(error.name, "failed:", error.reason) }
sandbox.stop()
