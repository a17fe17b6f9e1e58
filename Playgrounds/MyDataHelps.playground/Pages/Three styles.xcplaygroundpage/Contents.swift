//: # Three styles
//: You can make each call with a promise, with `await`, or with a completion handler. This page runs on the built-in
//: sandbox. For your own project, use `MyDataHelpsClient()` and a token from your server.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))

//: With promises, you chain the calls, and handle errors once, at the end of the chain.
session.getParticipantInfo().then { participant -> Promise<ProjectInfo> in
    print("Hello,", participant.demographics.firstName ?? participant.participantIdentifier)
    return session.getProjectInfo()
}.done { project in
    print("This is", project.name, "of", project.organization.name)
}.waitOrExit()

//: With `await`, the compiler knows that the error is a `MyDataHelpsError`. In a script, put asynchronous code into the
//: closure of a promise. Outside of such a closure, the same call would return a promise.
Promise {
    let page = try await session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete]))
    for task in page {
        print("To do:", task.surveyDisplayName)
    }
}.waitOrExit()

//: A completion handler is called on the main queue. Here, the call is inside a promise, so that the script can wait
//: for it.
Promise { seal in
    session.getDataCollectionSettings { result in
        seal.resolve(result.mapError { $0 }.map { "Data of \($0.queryableDeviceDataTypes.count) types" })
    }
}.done { print($0) }.waitOrExit()
sandbox.stop()
