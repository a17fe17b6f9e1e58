//: # Three styles
//: The same call as a promise, with `await`, and with a completion handler. Runs on the built-in sandbox; for your own
//: project, use `MyDataHelpsClient()` and a token from your server.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))

//: With a promise: chain it, and handle errors once, at the end.
session.getParticipantInfo().then { participant -> Promise<ProjectInfo> in
    print("Hello,", participant.demographics.firstName ?? participant.participantIdentifier)
    return session.getProjectInfo()
}.done { project in
    print("This is", project.name, "of", project.organization.name)
}.waitOrExit()

//: With `await`: the compiler knows that the error is a `MyDataHelpsError`. A script starts such code in a promise; at
//: its top level, the compiler would choose the call that returns one.
Promise {
    let page = try await session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete]))
    for task in page {
        print("To do:", task.surveyDisplayName)
    }
}.waitOrExit()

//: With a completion handler, which is called on the main queue. A promise makes it something to wait for.
Promise { seal in
    session.getDataCollectionSettings { result in
        seal.resolve(result.mapError { $0 }.map { "Data of \($0.queryableDeviceDataTypes.count) types" })
    }
}.done { print($0) }.waitOrExit()
sandbox.stop()
