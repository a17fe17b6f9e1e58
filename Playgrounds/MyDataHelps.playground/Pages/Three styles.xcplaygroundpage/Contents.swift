//: # Three styles
//: The same call as a promise, awaited, and with a completion. Runs on the built-in sandbox: for your own project use
//: `MyDataHelpsClient()` and a token from your server.
import MyDataHelpsKit
import PledgeSandbox

let sandbox = try MyDataHelpsSandbox.start()
let client = MyDataHelpsClient(baseURL: sandbox.baseURL)
let session = ParticipantSession(client: client, accessToken: ParticipantAccessToken(token: sandbox.token))

//: A promise: chain it, and catch once at the end.
let greeted: Promise<Void> = session.getParticipantInfo().then { participant -> Promise<ProjectInfo> in
    print("Hello,", participant.demographics.firstName ?? participant.participantIdentifier)
    return session.getProjectInfo()
}.done { project in
    print("This is", project.name, "of", project.organization.name)
}.catch { error in
    print(error)
}
try await greeted.value

//: Awaited: the error is a `MyDataHelpsError`, and the compiler knows. Inside a function `let page = try await …` is
//: enough; at the top level of a script the type says that it is the awaited call that is meant, or `.value` behind the call
//: that it is the promise's.
do {
    let page: SurveyTaskResultPage = try await session.querySurveyTasks(SurveyTaskQuery(statuses: [.incomplete]))
    for task in page {
        print("To do:", task.surveyDisplayName)
    }
} catch {
    print(error)
}

//: With a completion, which is called on the main queue.
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
