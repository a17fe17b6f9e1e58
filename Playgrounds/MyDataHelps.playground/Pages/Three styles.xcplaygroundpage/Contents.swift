//: # Three styles
//: The same call as a promise, with `await`, and with a completion handler. Runs on the built-in sandbox; for your own
//: project, use `MyDataHelpsClient()` and a token from your server.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))

//: With a promise: chain it, and catch once at the end.
let greeted: Promise<Void> = session.getParticipantInfo().then { participant -> Promise<ProjectInfo> in
    print("Hello,", participant.demographics.firstName ?? participant.participantIdentifier)
    return session.getProjectInfo()
}.done { project in
    print("This is", project.name, "of", project.organization.name)
}.catch { error in
    print(error)
}
try await greeted.value

//: With `await`: the compiler knows that the error is a `MyDataHelpsError`. Inside a function `let page = try await …`
//: is enough; at the top level of a script, a type annotation selects the asynchronous call, or `.value` after the call
//: awaits the promise.
do {
    let page: SurveyTaskResultPage = try await session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete]))
    for task in page {
        print("To do:", task.surveyDisplayName)
    }
} catch {
    print(error)
}

//: With a completion handler, which is called on the main queue.
await withCheckedContinuation { continuation in
    session.getDataCollectionSettings { result in
        switch result {
        case .success(let settings): print("Data of", settings.queryableDeviceDataTypes.count, "types")
        case .failure(let error): print(error)
        }
        continuation.resume()
    }
}
sandbox.stop()
