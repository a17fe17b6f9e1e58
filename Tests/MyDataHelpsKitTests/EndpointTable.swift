import Foundation
import PledgeTestSupport
import Testing

@testable import MyDataHelpsKit

// A new endpoint needs a row here, with its parameters.
extension EndpointCase {
    /// A survey result that the sandbox has at the fixed time of the tests.
    static let resultID = SurveyResult.ID("a1b2c314-5a1c-4f2e-9b3d-0000000304c7")

    static let all = lists + calls

    static let lists = [deviceData, tasks, answers, notifications, providers]

    private static let deviceData: EndpointCase = .list(
        [
            "namespace=AppleHealth&limit=100": DeviceDataQuery(namespace: .appleHealth, limit: 101),
            "namespace=Fitbit&type=a%5C%2Cb%2Cb%2Cc%2B&observedAfter=\(stamp(1))&observedBefore=\(stamp(2))"
                + "&modifiedAfter=\(stamp(3))&modifiedBefore=\(stamp(4))&limit=7&pageID=a%2Bb%2Fc%3D%3D":
                DeviceDataQuery(
                    namespace: .fitbit, types: ["b", "a,b", "c+"], observedAfter: date(1), observedBefore: date(2),
                    modifiedAfter: date(3), modifiedBefore: date(4), limit: 7, pageID: .init("a+b/c==")),
        ], "devicedata_page1_200", "devicedata_empty_200",
        needs: "id", "insertedDate", "modifiedDate", "namespace", "type", "value",
        named: .call(
            "", promise: { $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit)) },
            awaited: { try await $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit)) },
            completion: { $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit), completion: $1) }))

    private static let tasks: EndpointCase = .list(
        [
            "limit=100": SurveyTaskQuery(surveyNames: []),
            "status=complete%2Cincomplete&surveyID=s&surveyName=n&linkIdentifier=l&sortOrder=Ascending&limit=1"
                + "&pageID=p": SurveyTaskQuery(
                    statuses: [.incomplete, .complete], surveyID: "s", surveyNames: ["n"], linkIdentifier: "l",
                    sortOrder: .dateAscending, limit: 0, pageID: "p"),
        ], "surveytasks_1x_200", "surveytasks_page1_200", "surveytasks_last_200",
        needs: "id", "insertedDate", "modifiedDate", "status", "surveyID", "surveyName",
        named: .call(
            "", promise: { $0.querySurveyTasks(SurveyTaskQuery()) },
            awaited: { try await $0.querySurveyTasks(SurveyTaskQuery()) },
            completion: { $0.querySurveyTasks(SurveyTaskQuery(), completion: $1) }))

    private static let answers: EndpointCase = .list(
        [
            "limit=100": SurveyAnswersQuery(limit: 101),
            "surveyResultID=r&surveyID=s&surveyName=n&after=\(stamp(1))&before=\(stamp(2))&insertedAfter=\(stamp(3))"
                + "&insertedBefore=\(stamp(4))&stepIdentifier=st&resultIdentifier=ri&answer=a&limit=9&pageID=p":
                SurveyAnswersQuery(
                    surveyResultID: SurveyResult.ID("r"), surveyID: Survey.ID("s"), surveyNames: ["n"], after: date(1),
                    before: date(2), insertedAfter: date(3), insertedBefore: date(4), stepIdentifiers: ["st"],
                    resultIdentifiers: ["ri"], answers: ["a"], limit: 9, pageID: .init("p")),
        ], "surveyanswers_page1_200", "surveyanswers_empty_200",
        """
        {"surveyAnswers": [{"id": "i", "surveyResultID": "r", "surveyID": "s", "surveyName": "n", "stepIdentifier": "a",
         "answers": [], "insertedDate": "2024-03-02T06:05:11Z", "event": "V 2", "schedule": {"name": "daily"}}]}
        """, needs: "answers", "id", "insertedDate", "stepIdentifier", "surveyID", "surveyName", "surveyResultID",
        named: .call(
            "", promise: { $0.querySurveyAnswers(SurveyAnswersQuery()) },
            awaited: { try await $0.querySurveyAnswers(SurveyAnswersQuery()) },
            completion: { $0.querySurveyAnswers(SurveyAnswersQuery(), completion: $1) }))

    private static let notifications: EndpointCase = .list(
        [
            "limit=100": NotificationHistoryQuery(limit: .max),
            "identifier=i&sentAfter=\(stamp(1))&sentBefore=\(stamp(2))&type=Sms&statusCode=ServiceError&limit=8&pageID=p":
                NotificationHistoryQuery(
                    identifier: "i", sentAfter: date(1), sentBefore: date(2), type: .sms, statusCode: .serviceError,
                    limit: 8, pageID: .init("p")),
        ], "notifications_page1_200", "notifications_failures_200", "notifications_unknown_type_200",
        """
        {"notifications": [{"id": "i", "identifier": "a", "sentDate": "2024-03-02T06:05:11Z", "type": "Sms",
         "statusCode": "Succeeded", "contentVersion": 3, "recipients": ["a"], "schedule": {"name": "daily"}}]}
        """, needs: "id", "identifier", "sentDate", "statusCode", "type", unusual: "type",
        named: .call(
            "", promise: { $0.queryNotifications(NotificationHistoryQuery()) },
            awaited: { try await $0.queryNotifications(NotificationHistoryQuery()) },
            completion: { $0.queryNotifications(NotificationHistoryQuery(), completion: $1) }))

    private static let providers: EndpointCase = .list(
        [
            "pageSize=100&pageNumber=0": ExternalAccountProvidersQuery(limit: 101, pageNumber: -3),
            "search=%C3%A5&category=Health%20Plan&pageSize=5&pageNumber=2": ExternalAccountProvidersQuery(
                search: "å", category: .healthPlan, limit: 5, pageNumber: 2),
        ], "externalaccountproviders_page0_200", "externalaccountproviders_array_1x_200",
        """
        {"externalAccountProviders": [{"id": 900, "name": "n", "category": "Provider", "successorID": 901,
         "relatedProvider": {"id": 7}, "managingOrganization": "Åre"}]}
        """, needs: "id", "name",
        named: .call(
            "", promise: { $0.queryExternalAccountProviders(ExternalAccountProvidersQuery()) },
            awaited: { try await $0.queryExternalAccountProviders(ExternalAccountProvidersQuery()) },
            completion: { $0.queryExternalAccountProviders(ExternalAccountProvidersQuery(), completion: $1) })
    ).decoding(ExternalAccountProvidersResultPage.APIResponse.self) {
        // If the response has no total, the total is the number of items.
        let (items, total) = ($0.externalAccountProviders, $0.totalExternalAccountProviders)
        let isSent = total != items.count + $0.unreadable.count
        return ModelReading(items + [isSent ? total : nil] as [any Equatable], $0.unreadable)
    }

    private static let calls: [EndpointCase] = [
        .call(
            "GET api/v1/delegated/participant", "participant_200", "participant_minimal_200", "participant_1x_200",
            """
            {"participantID": "i", "projectID": "p", "participantIdentifier": "a",
             "demographics": {"middleName": "M", "state": "Z", "unsubscribedFromEmails": "true"}}
            """,
            promise: { $0.getParticipantInfo() }, awaited: { try await $0.getParticipantInfo() },
            completion: { $0.getParticipantInfo(completion: $1) }
        ).decoding(
            ParticipantInfo.self, needs: "participantID", "participantIdentifier", "projectID",
            unusual: "demographics.dateOfBirth", "demographics.unsubscribedFromEmails",
            "demographics.unsubscribedFromSms"),
        .call(
            "GET api/v1/delegated/project", "project_200", "project_sparse_200",
            #"{"id": "i", "name": "n", "organization": {"id": "o", "name": "n", "description": "d"}}"#,
            promise: { $0.getProjectInfo() }, awaited: { try await $0.getProjectInfo() },
            completion: { $0.getProjectInfo(completion: $1) }
        ).decoding(
            ProjectInfo.self, needs: "id", "name", "organization", "organization.id", "organization.name"),
        .call(
            "GET api/v1/delegated/datacollectionsettings", "datacollectionsettings_200",
            "datacollectionsettings_newer_200",
            promise: { $0.getDataCollectionSettings() }, awaited: { try await $0.getDataCollectionSettings() },
            completion: { $0.getDataCollectionSettings(completion: $1) }
        ).decoding(
            ProjectDataCollectionSettings.self,
            needs: "airQualityEnabled", "ehrEnabled", "fitbitEnabled", "weatherEnabled", "namespace", "type"
        ) {
            let parts: [any Equatable] = [$0.enabled, $0.queryableDeviceDataTypes, $0.sensorDataCollectionEndDate]
            return ModelReading(parts, $0.unreadable)
        },
        .call(
            "POST api/v1/delegated/devicedata",
            sends:
                #"POST /api/v1/delegated/devicedata [{"identifier":"walk","observationDate":"2024-03-02T11:00:00.000Z","#
                + #""properties":{},"type":"Walk","value":"3/8"}]"#,
            promise: { $0.persistDeviceData([point]) }, awaited: { try await $0.persistDeviceData([point]) },
            completion: { $0.persistDeviceData([point], completion: $1) }),
        .call(
            "DELETE api/v1/delegated/surveyresults/{id}",
            sends: "DELETE /api/v1/delegated/surveyresults/A1B2C314-5A1C-4F2E-9B3D-0000000304C7",
            promise: { $0.deleteSurveyResult(resultID) }, awaited: { try await $0.deleteSurveyResult(resultID) },
            completion: { $0.deleteSurveyResult(surveyResultID: resultID, completion: $1) }),
        .call(
            "POST api/v1/delegated/externalaccountproviders/{id}/connect", "externalaccountprovider_connect_200",
            sends:
                "POST /api/v1/delegated/externalaccountproviders/812/connect?finalRedirectPath=myapp%3A%2F%2Fdone%3Fb%3Dc",
            promise: { $0.connectExternalAccount(providerID: provider.id, finalRedirectURL: redirect) },
            awaited: { try await $0.connectExternalAccount(providerID: provider.id, finalRedirectURL: redirect) },
            completion: { $0.connectExternalAccount(provider: provider, finalRedirectURL: redirect, completion: $1) }),
        .call(
            "GET api/v1/delegated/externalaccounts", "externalaccounts_200", "externalaccounts_empty_200",
            promise: { $0.listExternalAccounts() }, awaited: { try await $0.listExternalAccounts() },
            completion: { $0.listExternalAccounts(completion: $1) }
        ).decoding([ExternalAccount].self).decoding(
            ExternalAccountsPage.self, needs: "id", "provider", "provider.id", "provider.name", "status",
            unusual: "lastRefreshDate"
        ) { ModelReading($0.items, $0.unreadable) },
        .call(
            "POST api/v1/delegated/externalaccounts/refresh/{id}",
            sends: "POST /api/v1/delegated/externalaccounts/refresh/5501",
            promise: { $0.refreshExternalAccount(account.id) },
            awaited: { try await $0.refreshExternalAccount(account.id) },
            completion: { $0.refreshExternalAccount(account, completion: $1) }),
        .call(
            "DELETE api/cfhrprovideraccounts/account/{id}",
            sends: "DELETE /api/cfhrprovideraccounts/account/5501?deleteData=true",
            promise: { $0.deleteExternalAccount(account.id) },
            awaited: { try await $0.deleteExternalAccount(account.id) },
            completion: { $0.deleteExternalAccount(account, completion: $1) }),
        .account("POST identityserver/connect/token", "token_service_200", "token_participant_200") {
            $0.serviceToken()
        },
        .account(
            "GET api/v1/administration/projects/{id}/participants", "administration_participants_page_200",
            """
            {"participants": [{"id": "i", "participantIdentifier": "p", "demographics": {"unsubscribedFromEmails": true,
              "unsubscribedFromSms": "true"}},
             {"id": "i", "participantIdentifier": "p", "withdrawDate": "2024-01-02T03:04:05Z", "invitationStatus": "x",
              "secondaryIdentifier": "s", "accountMobilePhone": "+46"}]}
            """
        ) { $0.page(ProjectParticipantsQuery(project: project)) }.sending(
            [
                "pageNumber=0&pageSize=200": ProjectParticipantsQuery(project: project, limit: 201, pageNumber: -1),
                "pageNumber=2&pageSize=7&query=%C3%B8&segmentId=s&sortBy=InsertedDate&sortAscending=false":
                    ProjectParticipantsQuery(
                        project: project, search: "ø", segmentID: "s", isAscending: false, limit: 7, pageNumber: 2),
            ], needs: "id", "participantIdentifier"
        ).decoding(ProjectParticipantsPage.self, unusual: "pageNumber") {
            ModelReading($0.participants + [$0.totalCount] as [any Equatable], $0.unreadable)
        },
        .account(
            "GET api/v1/administration/projects/{id}/participants/{id}", "administration_participant_200"
        ) { $0.participant("ÅRE-0042", in: project) }.decoding(
            ProjectParticipant.self, needs: "id", "participantIdentifier",
            unusual: "demographics.unsubscribedFromEmails", "demographics.unsubscribedFromSms"),
        .account(
            "GET api/v2/administration/projects/{id}/devicedatapoints", "devicedata_v2_page1_200",
            "devicedata_v2_nested_200", unusual: "observationDateOffset", "startDateOffset"
        ) { $0.page(steps) }.sending(
            [
                "namespace=GoogleHealth&type=steps-daily&limit=100": steps,
                "namespace=HealthConnect&type=sleep&participantIdentifier=%C3%85RE-1002&observedAfter=\(stamp(1))"
                    + "&observedBefore=\(stamp(2))&modifiedAfter=\(stamp(3))&modifiedBefore=\(stamp(4))"
                    + "&insertedAfter=\(stamp(5))&insertedBefore=\(stamp(6))&limit=7&pageID=a%2Bb%2Fc%3D%3D":
                    DeviceDataV2Query(
                        project: project, namespace: .healthConnect, type: "sleep", participantIdentifier: "ÅRE-1002",
                        observedAfter: date(1), observedBefore: date(2), modifiedAfter: date(3),
                        modifiedBefore: date(4), insertedAfter: date(5), insertedBefore: date(6), limit: 7,
                        pageID: .init("a+b/c==")),
            ], needs: "id", "insertedDate", "modifiedDate", "namespace", "type", "value"),
        .account(
            "GET api/v2/administration/projects/{id}/devicedatapoints/alldatatypes", "devicedata_v2_types_200"
        ) { $0.deviceDataV2Types(in: project) }.decoding([DeviceDataV2Type].self).decoding(
            DeviceDataV2TypesPage.self, needs: "namespace", "type"
        ) { ModelReading($0.items, $0.unreadable) },
    ]

    private static let steps = DeviceDataV2Query(
        project: project, namespace: .googleHealth, type: "steps-daily", limit: 101)

    static let project = Project.ID("2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41")

    // Each parameter has a different date, so that a test fails if two parameters are mixed up.
    private static func date(_ day: Int) -> Date { MyDataHelpsCase.noon + Double(day - 11) * 86_400 }
    private static func stamp(_ day: Int) -> String { "2024-02-2\(day)T11%3A00%3A00.000Z" }

    static let point = DeviceDataPointPersistModel(
        identifier: "walk", type: "Walk", value: "3/8", observationDate: MyDataHelpsCase.noon)
    private static let provider = ExternalAccountProvider(id: ExternalAccountProvider.ID(812), name: "Åre")
    private static let account = ExternalAccount(
        id: ExternalAccount.ID(5501), status: .fetchComplete, provider: provider)
    private static let redirect = URL(string: "myapp://done?b=c") ?? MyDataHelpsClient.serviceURL
}
