import Foundation

/// The state of the service, and its routes, each of which declares its callers.
struct ParticipantBackend: Sendable {
    static let participantID = "7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"
    static let participantIdentifier = "ÅRE-0042"
    static let projectID = "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"
    static let linkIdentifier = "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55"

    let access: ParticipantAccess
    let records: Protected<ParticipantRecords>
    let now: @Sendable () -> Date
    let serviceAccount: String
    /// The allowed prefixes of the URLs that end a connection to a provider.
    let redirects: [String]
    let checkSignature: MyDataHelpsSandbox.SignatureCheck?
    /// The IDs of the used assertions, each of which is valid once.
    let usedIDs = Protected<Set<String>>([])

    var routes: [ServerRoute] {
        // Each route is at `//api/` as well, for clients that join paths with an extra slash.
        api + api.map { ServerRoute("\($0.method) /\($0.path)", respond: $0.respond) } + [
            ServerRoute("POST \(Self.tokenPath)", respond: giveToken),
            ServerRoute("GET /external/authorize", respond: signIn),
            ServerRoute("GET /survey", respond: framedSurvey),
            access.participants("POST /survey", scopes: ParticipantScope.all, finishSurvey),
        ]
    }

    private var api: [ServerRoute] {
        ParticipantList.all.map(list) + [.points, .answers, .tasks].map(listForProject) + [
            access.serviceAccounts("participants", listParticipants),
            access.serviceAccounts("devicedatapoints/alldatatypes", dataTypes),
            access.serviceAccounts("devicedatapoints", version: 2, pointsV2),
            access.serviceAccounts("devicedatapoints/alldatatypes", version: 2, dataTypesV2),
            access.serviceAccounts("participants/{participant}", findParticipant),
            access.participants(
                "GET /api/v1/delegated/participant", scopes: [ParticipantScope.participant], participant),
            access.participants("GET /api/v1/delegated/project", scopes: [ParticipantScope.project], project),
            access.participants(
                "GET /api/v1/delegated/datacollectionsettings", scopes: [ParticipantScope.settings], settings),
            access.participants("POST /api/v1/delegated/devicedata", storePoints),
            access.participants("DELETE /api/v1/delegated/surveyresults/{result}", deleteResult),
            access.participants(
                "GET /api/v1/delegated/externalaccountproviders",
                scopes: [ParticipantScope.accounts, ParticipantScope.connecting], providers),
            access.participants(
                "POST /api/v1/delegated/externalaccountproviders/{provider}/connect",
                scopes: [ParticipantScope.connecting], connect),
            access.participants(
                "GET /api/v1/delegated/externalaccounts", scopes: [ParticipantScope.accounts], accounts),
            access.participants("POST /api/v1/delegated/externalaccounts/refresh/{account}", refreshAccount),
            access.participants("DELETE /api/cfhrprovideraccounts/account/{account}", deleteAccount),
        ]
    }

    private func list(_ list: ParticipantList) -> ServerRoute {
        access.participants("GET /api/v1/delegated/\(list.path ?? list.name)", scopes: list.scopes) { request in
            let query = ParticipantQuery(request)
            return try query.page(list.name, of: list.select(records.current[list], query))
        }
    }
}
