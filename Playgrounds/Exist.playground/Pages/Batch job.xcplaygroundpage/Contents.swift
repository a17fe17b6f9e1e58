//: # Batch job
//: Many accounts, a few at a time, one number from each, within the limit of each token: the engine of `pledge export`.
import ExistKit
import Foundation
import PledgeBatch
import PledgeSandbox

let sandbox = try ExistSandbox.start()

struct Account: Sendable {
    var name: String
    var token: String
}

//: Any sequence will do, also an asynchronous one. It is consumed as there is room, so it need not fit into memory.
let accounts = (1...200).map { number -> Account in
    sandbox.addToken("token-\(number)")
    // One account has a token that the service does not accept.
    return Account(name: "user-\(number)", token: number == 17 ? "stale" : "token-\(number)")
}

//: Requests go through the account's slot: the batch decides when they are sent, and whether they are sent again.
let batch = Batch(accounts) { account in
    BatchLimit(service: "Exist", token: account.token, requests: ExistAPI.limit)
} work: { account, slot in
    let existAPI = ExistAPI(
        token: account.token, baseURL: sandbox.baseURL, options: slot.options(ExistAPI.defaultOptions))
    return existAPI.attributes(names: ["steps"], days: 31).map { attributes, _ in
        let steps = attributes.flatMap(\.values).compactMap { $0.value?.double }
        return steps.reduce(0, +) / Double(max(1, steps.count))
    }
}

//: One failing account does not affect the others: its error is its result.
Promise {
    var averages: [Double] = []
    for try await (account, result) in batch.results {
        switch result {
        case .success(let steps): averages.append(steps)
        case .failure(let error): print(account.name, "failed:", error)
        }
    }
    print(averages.count, "accounts walk", Int(averages.reduce(0, +) / Double(max(1, averages.count))), "steps a day")
    print(batch.tally)
}.waitOrExit()

//: Results in a file survive if the job is killed. Here it is stopped halfway, and the same lines of code continue it.
let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
@Sendable func work(_ account: Account, _ slot: BatchSlot) -> Promise<Int> {
    ExistAPI(token: account.token, baseURL: sandbox.baseURL, options: slot.options(ExistAPI.defaultOptions))
        .averages().map { averages, _ in averages.count }
}
for run in 1...2 {
    let file = try ResultsFile<Int>(path)
    let job = Batch(
        accounts.filter { !file.contains($0.name) }, limit: { BatchLimit(service: "Exist", token: $0.token) },
        work: work)
    let tally = job.run { account, result in
        if run == 1, file.count >= 100 { job.stop() }
        return file.store(result, for: account.name)
    }.waitOrExit()
    file.close().waitOrExit()
    print("Run \(run): \(tally.done) done, \(tally.failed) failed; the file has \(file.count) results")
}
try FileManager.default.removeItem(atPath: path)
sandbox.stop()
