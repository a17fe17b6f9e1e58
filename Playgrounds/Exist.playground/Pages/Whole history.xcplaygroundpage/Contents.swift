//: # Whole history
//: This page gets all values of an attribute, page by page, in the units that the user prefers.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

struct NoWeight: Error {}

when(fulfilled: existAPI.user(), existAPI.all(.attributes(names: ["weight"]))).then {
    owner, found -> Promise<(User, Attribute)> in
    guard let weight = found.items.first else { throw NoWeight() }
    return existAPI.history(of: weight).map { (owner.user, $0.attribute) }
}.done { user, weight in
    let known = try weight.getMeasurements(for: user).filter { $0.value != nil }
    print(known.count, "days with a weight, of", weight.values.count)
    for item in known.prefix(3) {
        if let value = item.value { print(item.day, (value.value * 10).rounded() / 10, value.unit.symbol) }
    }
}.waitOrExit()

//: Asynchronous code can read one page after another in a loop. Each page is requested only when the loop needs it.
//: Leave the loop to stop.
let days = Promise {
    var days = 0
    for try await page in existAPI.pages(.values(of: "steps", limit: 50)) {
        days += page.results.count
        if days >= 100 { break }
    }
    return days
}.waitOrExit()
print(days, "days of steps, and not a page more was asked for")
sandbox.stop()
