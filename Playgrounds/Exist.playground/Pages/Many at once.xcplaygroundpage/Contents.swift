//: # Many at once
//: Independent calls run at the same time. `when` waits for all of them, and passes each result to the next handler as
//: a parameter of its own.
import ExistKit
import PledgeSandbox

let sandbox = try ExistSandbox.start()
let existAPI = ExistAPI(token: sandbox.token, baseURL: sandbox.baseURL)

when(
    fulfilled: existAPI.insights(days: 30), existAPI.averages(limit: 30), existAPI.correlations()
).done { insights, averages, correlations in
    print(insights.insights.results.count, "insights in 30 days")
    for average in averages.averages.prefix(3) {
        print("Usually:", average.attribute, average.overall ?? "–")
    }
    for correlation in correlations.correlations.prefix(3) {
        print("Together:", correlation.secondPerson ?? correlation.attribute)
    }
}.waitOrExit()
sandbox.stop()
