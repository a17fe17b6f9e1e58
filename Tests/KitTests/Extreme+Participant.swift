import MyDataHelpsKit

extension Extreme {
    static let participant: [String: Call] = [
        "APIRateLimit.init(maxRequestsPerHour:remainingRequests:nextReset:)": {
            show(APIRateLimit(maxRequestsPerHour: $0.int, remainingRequests: $0.int, nextReset: $0.date))
        },
        "DeviceDataPointPersistModel.init(identifier:type:value:units:properties:source:startDate:observationDate:)": {
            x in
            let point = DeviceDataPointPersistModel(
                identifier: nil, type: "t", value: "v", startDate: x.date, observationDate: x.date)
            await settle(persist(point))
        },
        "DeviceDataQuery.init(namespace:types:observedAfter:observedBefore:modifiedAfter:modifiedBefore:limit:pageID:)":
            { x in
                await page(
                    DeviceDataQuery(
                        namespace: .project, observedAfter: x.date, observedBefore: x.date, modifiedAfter: x.date,
                        modifiedBefore: x.date, limit: x.int))
            },
        "DeviceDataV2Query.init(project:namespace:type:participantIdentifier:observedAfter:observedBefore:modifiedAfter:modifiedBefore:insertedAfter:insertedBefore:limit:pageID:)":
            { x in
                await page(
                    DeviceDataV2Query(
                        project: .init("p"), namespace: .oura, type: "sleep", observedAfter: x.date,
                        observedBefore: x.date, modifiedAfter: x.date, modifiedBefore: x.date, insertedAfter: x.date,
                        insertedBefore: x.date, limit: x.int))
            },
        "ObservedDate.init(_:utcOffset:)": { x in
            let observed = ObservedDate("2024-03-02T10:11:12", utcOffset: x.int)
            show([observed as Any, observed?.date as Any])
        },
        "ExternalAccountProvidersQuery.init(search:category:limit:pageNumber:)": { x in
            await page(ExternalAccountProvidersQuery(limit: x.int, pageNumber: x.int))
        },
        "ExternalAccountProvidersResultPage.init(externalAccountProviders:totalCount:pageNumber:unreadable:)": { x in
            let page = ExternalAccountProvidersResultPage(
                externalAccountProviders: [], totalCount: x.int, pageNumber: x.int)
            show(ExternalAccountProvidersQuery(limit: x.int).page(after: page) as Any)
        },
        "ParticipantSession.followExternalAccount(_:every:deadline:)": { x in
            let followed: Promise<ExternalAccount> = session.followExternalAccount(
                .init(x.int), every: x.double, deadline: x.double)
            await settle(followed)
        },
        "HTTPResponseError.init(statusCode:message:request:headers:)": { show(HTTPResponseError(statusCode: $0.int)) },
        "ProjectParticipantsQuery.init(project:search:segmentID:isAscending:limit:pageNumber:)": { x in
            await page(ProjectParticipantsQuery(project: .init("p"), limit: x.int, pageNumber: x.int))
        },
    ]

    fileprivate static let session = ParticipantSession(
        client: MyDataHelpsClient(
            options: MyDataHelpsClient.defaultOptions.with {
                $0.clock = clock()
                $0.transport = CannedTransport(
                    json: """
                        {"deviceDataPoints":[],"notifications":[],"surveyAnswers":[],"surveyTasks":[],
                         "externalAccountProviders":[],"totalExternalAccountProviders":7,"participants":[]}
                        """)
            }),
        accessToken: ParticipantAccessToken(token: "t"))

    /// Fetches a page, and derives the query for the next page.
    private static func page<Query: PagedQuery>(_ query: Query) async {
        let promise: Promise<Query.Page> = session.page(query)
        if case .success(let page) = await promise.settled().value { show(query.page(after: page) as Any) }
        show(query)
    }
}

/// This function isn't asynchronous, because an asynchronous one would call the overload without a promise.
private func persist(_ point: DeviceDataPointPersistModel) -> Promise<Void> {
    Extreme.session.persistDeviceData([point])
}
