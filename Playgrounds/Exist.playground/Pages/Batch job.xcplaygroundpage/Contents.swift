//: # Batch job
//: A batch job processes many accounts, a few at a time, and respects the rate limit of each token. This page computes
//: one number for each account. The command `pledge export` uses the same engine.
import ExistKit
import Foundation
import PledgeBatch
import PledgeSandbox

let sandbox = try ExistSandbox.start()

struct Account: Sendable {
    var name: String
    var token: String
}

//: The accounts can be any sequence, even an asynchronous one. The batch takes an account from the sequence only when
//: it can process the account. So the sequence doesn't need to fit into memory.
let accounts = (1...200).map { number -> Account in
    sandbox.addToken("token-\(number)")
    // One account has a token that the service does not accept.
    return Account(name: "user-\(number)", token: number == 17 ? "stale" : "token-\(number)")
}

//: The batch passes each account with a slot. Create the account's client with the options of the slot. Then the batch
//: decides when a request is sent, and whether it is sent again after an error.
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

//: An account that fails does not affect the others. Its result is the error.
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

//: If you store the results in a file, they survive even if the job is killed. Here, the first run is stopped halfway,
//: and the second run continues the job with the same code.
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
