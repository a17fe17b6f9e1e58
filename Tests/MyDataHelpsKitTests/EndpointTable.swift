import Foundation
import Testing

@testable import MyDataHelpsKit

// A new endpoint needs a row here, with its parameters.
extension EndpointCase {
    /// A result in the sandbox at its fixed time.
    static let resultID = SurveyResult.ID("a1b2c314-5a1c-4f2e-9b3d-0000000304c7")

    static let all = lists + calls

    private static let lists = [deviceData, tasks, answers, notifications, providers]

    private static let deviceData: EndpointCase = .list(
        [
            "namespace=Fitbit&limit=100": DeviceDataQuery(namespace: .fitbit),
            "namespace=AppleHealth&type=a%5C%2Cb%2Cb%2Cc%2B&observedAfter=\(stamp)&observedBefore=\(stamp)"
                + "&modifiedAfter=\(stamp)&modifiedBefore=\(stamp)&limit=7&pageID=a%2Bb%2Fc%3D%3D": DeviceDataQuery(
                    namespace: .appleHealth, types: ["b", "a,b", "c+"], observedAfter: date, observedBefore: date,
                    modifiedAfter: date, modifiedBefore: date, limit: 7, pageID: .init("a+b/c==")),
        ], "devicedata_page1_200", "devicedata_empty_200"
    ).named(
        promise: { $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit)) },
        awaited: { try await $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit)) },
        completion: { $0.queryDeviceData(DeviceDataQuery(namespace: .fitbit), completion: $1) }
    ).filtering(DeviceDataQuery(namespace: .fitbit)) { all in
        let (observed, changed) = (try #require(all[20].observationDate), all[20].modifiedDate)
        return [
            (.init(namespace: .fitbit, types: [all[20].type]), { $0.type == all[20].type }),
            (.init(namespace: .fitbit, observedAfter: observed), { $0.observationDate ?? .distantPast > observed }),
            (
                .init(namespace: .fitbit, observedBefore: observed),
                { $0.observationDate ?? .distantFuture < observed }
            ),
            (.init(namespace: .fitbit, modifiedAfter: changed), { $0.modifiedDate > changed }),
            (.init(namespace: .fitbit, modifiedBefore: changed), { $0.modifiedDate < changed }),
        ]
    }

    private static let tasks: EndpointCase = .list(
        [
            "limit=100": SurveyTaskQuery(surveyNames: []),
            "status=complete%2Cincomplete&surveyID=s&surveyName=n&linkIdentifier=l&sortOrder=Ascending&limit=1"
                + "&pageID=p": SurveyTaskQuery(
                    statuses: [.incomplete, .complete], surveyID: "s", surveyNames: ["n"], linkIdentifier: "l",
                    sortOrder: .dateAscending, limit: 0, pageID: "p"),
        ], "surveytasks_page1_200", "surveytasks_last_200", "surveytasks_1x_200"
    ).named(
        promise: { $0.querySurveyTasks(SurveyTaskQuery()) },
        awaited: { try await $0.querySurveyTasks(SurveyTaskQuery()) },
        completion: { $0.querySurveyTasks(SurveyTaskQuery(), completion: $1) }
    ).filtering(SurveyTaskQuery()) { all in
        let one = try #require(all.first { $0.surveyName == "Sleep, weekly" })
        return [
            (.init(statuses: [.incomplete]), { $0.status == .incomplete }),
            (.init(surveyID: one.surveyID), { $0.surveyID == one.surveyID }),
            (.init(surveyNames: [one.surveyName]), { $0.surveyName == one.surveyName }),
            (.init(linkIdentifier: one.linkIdentifier), { $0.linkIdentifier == one.linkIdentifier }),
        ]
    }

    private static let answers: EndpointCase = .list(
        [
            "limit=100": SurveyAnswersQuery(limit: 101),
            "surveyResultID=r&surveyID=s&surveyName=n&after=\(stamp)&before=\(stamp)&insertedAfter=\(stamp)"
                + "&insertedBefore=\(stamp)&stepIdentifier=st&resultIdentifier=ri&answer=a&limit=100&pageID=p":
                SurveyAnswersQuery(
                    surveyResultID: SurveyResult.ID("r"), surveyID: Survey.ID("s"), surveyNames: ["n"], after: date,
                    before: date, insertedAfter: date, insertedBefore: date, stepIdentifiers: ["st"],
                    resultIdentifiers: ["ri"], answers: ["a"], pageID: .init("p")),
        ], "surveyanswers_page1_200", "surveyanswers_empty_200",
        """
        {"surveyAnswers": [{"id": "i", "surveyResultID": "r", "surveyID": "s", "surveyName": "n", "stepIdentifier": "a",
         "answers": [], "insertedDate": "2024-03-02T06:05:11Z", "event": "V 2", "schedule": {"name": "daily"}}]}
        """
    ).named(
        promise: { $0.querySurveyAnswers(SurveyAnswersQuery()) },
        awaited: { try await $0.querySurveyAnswers(SurveyAnswersQuery()) },
        completion: { $0.querySurveyAnswers(SurveyAnswersQuery(), completion: $1) }
    ).filtering(SurveyAnswersQuery()) { all in
        let one = try #require(all.first { !$0.answers.isEmpty && $0.surveyName == "Sleep, weekly" })
        let (date, inserted) = (try #require(one.date), one.insertedDate)
        return [
            (.init(surveyResultID: one.surveyResultID), { $0.surveyResultID == one.surveyResultID }),
            (.init(surveyID: one.surveyID), { $0.surveyID == one.surveyID }),
            (.init(surveyNames: [one.surveyName]), { $0.surveyName == one.surveyName }),
            (.init(stepIdentifiers: [one.stepIdentifier]), { $0.stepIdentifier == one.stepIdentifier }),
            (.init(resultIdentifiers: [one.resultIdentifier]), { $0.resultIdentifier == one.resultIdentifier }),
            (.init(answers: ["Coffee, black"]), { $0.answers.contains("Coffee, black") }),
            (.init(after: date), { $0.date ?? .distantPast > date }),
            (.init(before: date), { $0.date ?? .distantFuture < date }),
            (.init(insertedAfter: inserted), { $0.insertedDate > inserted }),
            (.init(insertedBefore: inserted), { $0.insertedDate < inserted }),
        ]
    }

    private static let notifications: EndpointCase = .list(
        [
            "limit=100": NotificationHistoryQuery(),
            "identifier=i&sentAfter=\(stamp)&sentBefore=\(stamp)&type=Sms&statusCode=ServiceError&limit=100&pageID=p":
                NotificationHistoryQuery(
                    identifier: "i", sentAfter: date, sentBefore: date, type: .sms, statusCode: .serviceError,
                    pageID: .init("p")),
        ], "notifications_page1_200", "notifications_failures_200", "notifications_unknown_type_200",
        """
        {"notifications": [{"id": "i", "identifier": "a", "sentDate": "2024-03-02T06:05:11Z", "type": "Sms",
         "statusCode": "Succeeded", "contentVersion": 3, "recipients": ["a"], "schedule": {"name": "daily"}}]}
        """
    ).named(
        promise: { $0.queryNotifications(NotificationHistoryQuery()) },
        awaited: { try await $0.queryNotifications(NotificationHistoryQuery()) },
        completion: { $0.queryNotifications(NotificationHistoryQuery(), completion: $1) }
    ).filtering(NotificationHistoryQuery()) { all in
        let date = all[10].sentDate
        return [
            (.init(identifier: "WeeklySms"), { $0.identifier == "WeeklySms" }),
            (.init(type: .email), { $0.type == .email }),
            (.init(statusCode: .missingContactInfo), { $0.statusCode == .missingContactInfo }),
            (.init(sentAfter: date), { $0.sentDate > date }), (.init(sentBefore: date), { $0.sentDate < date }),
        ]
    }

    private static let providers: EndpointCase = .list(
        [
            "pageSize=100&pageNumber=0": ExternalAccountProvidersQuery(),
            "search=%C3%A5&category=Health%20Plan&pageSize=5&pageNumber=2": ExternalAccountProvidersQuery(
                search: "å", category: .healthPlan, limit: 5, pageNumber: 2),
        ], "externalaccountproviders_page0_200", "externalaccountproviders_array_1x_200",
        """
        {"externalAccountProviders": [{"id": 900, "name": "n", "category": "Provider", "successorID": 901,
         "relatedProvider": {"id": 7}, "managingOrganization": "Åre"}]}
        """
    ).decoding(ExternalAccountProvidersResultPage.APIResponse.self).named(
        promise: { $0.queryExternalAccountProviders(ExternalAccountProvidersQuery()) },
        awaited: { try await $0.queryExternalAccountProviders(ExternalAccountProvidersQuery()) },
        completion: { $0.queryExternalAccountProviders(ExternalAccountProvidersQuery(), completion: $1) }
    ).filtering(ExternalAccountProvidersQuery()) { all in
        let (town, plan) = ("Åre", ExternalAccountProviderCategory.healthPlan)
        return [
            (.init(search: town), { $0.name.contains(town) }), (.init(category: plan), { $0.category == plan }),
        ]
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
        ).decoding(ParticipantInfo.self),
        .call(
            "GET api/v1/delegated/project", "project_200", "project_sparse_200",
            #"{"id": "i", "name": "n", "organization": {"id": "o", "name": "n", "description": "d"}}"#,
            promise: { $0.getProjectInfo() }, awaited: { try await $0.getProjectInfo() },
            completion: { $0.getProjectInfo(completion: $1) }
        ).decoding(ProjectInfo.self),
        .call(
            "GET api/v1/delegated/datacollectionsettings", "datacollectionsettings_200",
            "datacollectionsettings_newer_200",
            promise: { $0.getDataCollectionSettings() }, awaited: { try await $0.getDataCollectionSettings() },
            completion: { $0.getDataCollectionSettings(completion: $1) }
        ).breaking(.dataCollectionSettings) { ($0.queryableDeviceDataTypes, $0.unreadable) },
        .call(
            "POST api/v1/delegated/devicedata",
            promise: { $0.persistDeviceData([point]) }, awaited: { try await $0.persistDeviceData([point]) },
            completion: { $0.persistDeviceData([point], completion: $1) }),
        .call(
            "DELETE api/v1/delegated/surveyresults/{id}",
            promise: { $0.deleteSurveyResult(resultID) }, awaited: { try await $0.deleteSurveyResult(resultID) },
            completion: { $0.deleteSurveyResult(surveyResultID: resultID, completion: $1) }),
        .call(
            "POST api/v1/delegated/externalaccountproviders/{id}/connect", "externalaccountprovider_connect_200",
            promise: { $0.connectExternalAccount(providerID: provider.id, finalRedirectURL: redirect) },
            awaited: { try await $0.connectExternalAccount(providerID: provider.id, finalRedirectURL: redirect) },
            completion: { $0.connectExternalAccount(provider: provider, finalRedirectURL: redirect, completion: $1) }),
        .call(
            "GET api/v1/delegated/externalaccounts", "externalaccounts_200", "externalaccounts_empty_200",
            promise: { $0.listExternalAccounts() }, awaited: { try await $0.listExternalAccounts() },
            completion: { $0.listExternalAccounts(completion: $1) }
        ).breaking(.externalAccounts) { ($0.items, $0.unreadable) },
        .call(
            "POST api/v1/delegated/externalaccounts/refresh/{id}",
            promise: { $0.refreshExternalAccount(account.id) },
            awaited: { try await $0.refreshExternalAccount(account.id) },
            completion: { $0.refreshExternalAccount(account, completion: $1) }),
        .call(
            "DELETE api/cfhrprovideraccounts/account/{id}",
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
        ) { $0.page(ProjectParticipantsQuery(project: project)) }.sending([
            "pageNumber=0&pageSize=200": ProjectParticipantsQuery(project: project, limit: 201, pageNumber: -1),
            "pageNumber=2&pageSize=7&query=%C3%A5&segmentId=s&sortBy=InsertedDate&sortAscending=false":
                ProjectParticipantsQuery(
                    project: project, search: "å", segmentID: "s", isAscending: false, limit: 7, pageNumber: 2),
        ]),
        .account(
            "GET api/v1/administration/projects/{id}/participants/{id}", "administration_participant_200"
        ) { $0.participant("ÅRE-0042", in: project) }.decoding(ProjectParticipant.self),
    ]

    static let project = Project.ID("2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41")

    private static let date = MyDataHelpsCase.noon
    private static let stamp = "2024-03-02T11%3A00%3A00.000Z"

    static let point = DeviceDataPointPersistModel(
        identifier: "walk", type: "Walk", value: "38", observationDate: MyDataHelpsCase.noon)
    private static let provider = ExternalAccountProvider(id: ExternalAccountProvider.ID(812), name: "Åre")
    private static let account = ExternalAccount(
        id: ExternalAccount.ID(5501), status: .fetchComplete, provider: provider)
    private static let redirect = URL(string: "myapp://done") ?? MyDataHelpsClient.serviceURL
}

extension SentCall {
    static let all = EndpointCase.all.flatMap(\.sent) + calls

    private static let calls = [
        SentCall("GET /api/v1/delegated/participant") { $0.getParticipantInfo() },
        SentCall("GET /api/v1/delegated/project") { $0.getProjectInfo() },
        SentCall("GET /api/v1/delegated/datacollectionsettings") { $0.getDataCollectionSettings() },
        SentCall(
            #"POST /api/v1/delegated/devicedata [{"observationDate":"2024-03-02T11:00:00.000Z","properties":{},"#
                + #""type":"Walk","value":"3/8"}]"#
        ) {
            $0.persistDeviceData([
                DeviceDataPointPersistModel(
                    identifier: nil, type: "Walk", value: "3/8", observationDate: MyDataHelpsCase.noon)
            ])
        },
        SentCall("DELETE /api/v1/delegated/surveyresults/A1B2C314-5A1C-4F2E-9B3D-00000003049E") {
            $0.deleteSurveyResult(SurveyResult.ID("a1b2c314-5a1c-4f2e-9b3d-00000003049e"))
        },
        SentCall(
            "POST /api/v1/delegated/externalaccountproviders/812/connect?finalRedirectPath=https%3A%2F%2Fa.example%2F%3Fb%3Dc"
        ) { session -> Promise<ExternalAccountAuthorization> in
            guard let redirect = URL(string: "https://a.example/?b=c") else { return Promise(error: NotAnAddress()) }
            return session.connectExternalAccount(
                providerID: ExternalAccountProvider.ID(812), finalRedirectURL: redirect)
        },
        SentCall("GET /api/v1/delegated/externalaccounts") { $0.listExternalAccounts() },
        SentCall("POST /api/v1/delegated/externalaccounts/refresh/5501") {
            $0.refreshExternalAccount(ExternalAccount.ID(5501))
        },
        SentCall("DELETE /api/cfhrprovideraccounts/account/5501?deleteData=true") {
            $0.deleteExternalAccount(ExternalAccount.ID(5501))
        },
    ]
}
