//: # Whole history
//: All values of one attribute, page by page, in the user's preferred units.
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

//: In asynchronous code the pages arrive one by one, each requested when it is needed; leave the loop to stop.
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
