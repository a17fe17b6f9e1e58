//: # Page by page
//: The service sends a long list in pages. Each page is a collection of items. From a query and its page, you can
//: create the query for the next page. The method `pages` does this for you, one page after another.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))
let query = DeviceDataQuery(namespace: .fitbit, types: ["Steps", "RestingHeartRate"], limit: 50)

Promise {
    //: You can request one page at a time yourself.
    let first = try await session.queryDeviceData(query)
    print("The first", first.count, "begin with", first[0].type, first[0].value)
    if let next = query.page(after: first) {
        let second = try await session.queryDeviceData(next)
        print("Then come", second.count)
    }

    //: You can also read the pages in a loop. When you leave the loop, no more pages are requested.
    for try await page in session.pages(query) {
        print("A page of", page.count)
    }

    //: Or you get the items of all pages as a list, from a promise.
    let steps = try await session.pages(DeviceDataQuery(namespace: .fitbit, types: ["Steps"])).items(atMost: 7).value
    print("Steps of a week:", steps.map(\.value).joined(separator: ", "))
}.waitOrExit()

//: Every response includes the number of requests that remain in this hour.
if let limit = session.rateLimit {
    print(limit.remainingRequests, "of", limit.maxRequestsPerHour, "requests are left")
}
sandbox.stop()
