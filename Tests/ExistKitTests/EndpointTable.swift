import ExistKit
import Foundation

// A new endpoint needs a row here, with its parameters.
extension EndpointCase {
    static let all = single + lists
    static let lists = attributeLists + resultLists

    private static let single: [EndpointCase] = [
        .one(
            "GET accounts/profile/", "profile_200", "profile_sparse_200",
            #"{"username": "u", "imperial_energy": true}"#, of: User.self, needs: "username"
        ) { $0.user() },
        .one("POST auth/simple-token/", "auth_simple_token_200", needsToken: false) {
            ExistAPI.simpleToken(username: "a", password: "b", baseURL: $0.baseURL)
        },
        .one("POST oauth2/access_token", "auth_oauth_token_200", "auth_oauth_refresh_200", needsToken: false) {
            ExistOAuth(clientID: "a", clientSecret: "b", redirectURI: "app://back", baseURL: $0.baseURL)
                .token(for: "c")
        },
        .one(
            "GET correlations/combo/", "correlation_combo_200", "correlation_combo_404", of: Correlation.self,
            needs: "attribute", "attribute2", "date", "value"
        ) {
            $0.correlation(between: "sleep", and: "steps")
        },
        .write(
            "POST attributes/acquire/", "acquire_202", "acquire_200", "acquire_success_objects_200",
            "write_200_missing_arrays", unusual: "active"
        ) {
            $0.acquire(names: ["mood"])
        },
        .write(
            "POST attributes/release/", "release_202", "release_200",
            #"{"success": [{"name": "steps", "service": "withings", "active": true}], "failed": []}"#
        ) { $0.release(names: ["mood"]) },
        .write(
            "POST attributes/create/", "create_202", "create_plain_200", "create_success_objects_200",
            unusual: "group", "value_type"
        ) {
            $0.create([.tag("Rain")])
        },
        .write("POST attributes/update/", "update_202", "update_200", "write_202_all_failed") {
            $0.update(attributes: [IntAttributeUpdate(name: "mood", date: SandboxCase.noon, value: 5)])
        },
        .write("POST attributes/increment/", "increment_202", "increment_200") {
            $0.increment(attributes: [AttributeIncrement(name: "steps", by: 5)])
        },
    ]
    private static let first = ExistDay(year: 2024, month: 1, day: 2)
    private static let last = ExistDay(year: 2024, month: 2, day: 3)

    private static let attributeLists: [EndpointCase] = [
        .list(
            [
                "page=1&limit=100": .attributes(),
                "groups=mood,sleep&page=1&limit=100": .attributes(groups: ["mood", "sleep"]),
                "attributes=a%2Cb,%E6%97%A5%E8%A8%98,c%2Bd&page=1&limit=100": .attributes(names: ["a,b", "日記", "c+d"]),
                "page=1&limit=100": .attributes(groups: [], names: []),
                "exclude_custom=true&page=1&limit=100": .attributes(excludeCustom: true),
                "manual=true&page=1&limit=100": .attributes(manual: true),
                "manual=false&page=1&limit=100": .attributes(manual: false),
                "include_inactive=true&page=1&limit=100": .attributes(includeInactive: true),
                "include_low_priority=true&page=1&limit=100": .attributes(includeLowPriority: true),
                "owned=true&page=1&limit=100": .attributes(owned: true),
                "page=3&limit=7": .attributes(limit: 7, page: 3),
            ], "attributes_page1_200", "attributes_page2_last_200", needs: "name",
            unusual: "group.name", "service.name", "available_services[].name"),
        .list(
            [
                "page=1&limit=100": .owned(),
                "groups=mood&attributes=mood&exclude_custom=true&manual=true&include_inactive=true"
                    + "&include_low_priority=true&page=1&limit=100": .owned(
                        groups: ["mood"], names: ["mood"], excludeCustom: true, manual: true, includeInactive: true,
                        includeLowPriority: true, limit: 500, page: 0),
                "manual=false&page=2&limit=1": .owned(manual: false, limit: -3, page: 2),
            ], "attributes_owned_200", needs: "name",
            unusual: "group.name", "service.name", "available_services[].name"),
        .list(
            [
                "page=1&limit=100": .templates(),
                "include_low_priority=true&groups=health,sleep&page=2&limit=3": .templates(
                    groups: ["health", "sleep"], includeLowPriority: true, limit: 3, page: 2),
            ], "attributes_templates_page1_200",
            """
            {"count": 2, "results": [
             {"name": "sleep_start", "label": "Bedtime", "group": {"name": "sleep", "label": "Sleep", "priority": 3},
              "priority": 4, "value_type": 6, "value_type_description": "Time of day (min from midday)"},
             {"name": "zz", "label": "New ✨", "group": {"name": "future", "label": "Future", "priority": 42},
              "priority": 12, "value_type": 9, "value_type_description": "New"}]}
            """, needs: "name", unusual: "group.name"),
        .list(
            [
                "page=1&limit=100": .attributesWithValues(),
                "groups=mood,sleep&page=1&limit=100": .attributesWithValues(groups: ["mood", "sleep"]),
                "attributes=mood,steps&page=1&limit=100": .attributesWithValues(names: ["mood", "steps"]),
                "templates=mood,steps&page=1&limit=100": .attributesWithValues(templates: ["mood", "steps"]),
                "manual=true&page=1&limit=100": .attributesWithValues(manual: true),
                "days=31&page=1&limit=100": .attributesWithValues(days: 99),
                "days=1&page=1&limit=100": .attributesWithValues(days: 0),
                "date_max=2024-02-03&page=4&limit=5": .attributesWithValues(through: last, limit: 5, page: 4),
            ], "attributes_with_values_page1_200", "attributes_with_values_page2_200", "attributes_tags_for_day_200",
            needs: "name", unusual: "group.name", "service.name"),
    ]

    private static let resultLists: [EndpointCase] = [
        .list(
            [
                "attribute=weight&page=1&limit=100": .values(of: "weight"),
                "attribute=mood&date_max=2024-02-03&page=2&limit=4": .values(
                    of: "mood", through: last, limit: 4, page: 2),
            ], "attributes_values_200", needs: "date", "value"),
        .list(
            [
                "page=1&limit=100": .insights(), "date_min=2024-02-03&page=1&limit=100": .insights(from: last),
                "date_max=2024-02-03&page=1&limit=100": .insights(through: last),
                "priority=3&page=2&limit=9": .insights(priority: 3, limit: 9, page: 2),
            ], "insights_page1_200", needs: "created", "type", "type.name",
            unusual: "type.attribute.name", "type.attribute.group.name"),
        .list(
            [
                "page=1&limit=100": .averages(), "groups=mood&page=1&limit=100": .averages(groups: ["mood"]),
                "attributes=mood,steps&include_historical=1&date_min=2024-01-02&date_max=2024-02-03&page=1&limit=100":
                    .averages(names: ["mood", "steps"], includeHistorical: true, from: first, through: last),
                "page=3&limit=26": .averages(limit: 26, page: 3),
            ], "averages_200", "averages_historical_200", needs: "attribute", "date", "user_attribute"),
        .list(
            [
                "page=1&limit=100": .correlations(), "strong=1&page=1&limit=100": .correlations(strong: true),
                "confident=1&page=1&limit=100": .correlations(confident: true),
                "attribute=mood&page=2&limit=4": .correlations(for: "mood", limit: 4, page: 2),
            ], "correlations_page1_200", "correlations_page2_200",
            needs: "attribute", "attribute2", "date", "value"),
    ]
}

extension SentCall {
    static let all = EndpointCase.all.flatMap(\.sent) + reads + writes

    private static let first = ExistDay(year: 2024, month: 1, day: 2)
    private static let last = ExistDay(year: 2024, month: 2, day: 3)

    private static let reads = [
        SentCall("GET /api/2/accounts/profile/") { $0.user() },
        SentCall("GET /api/2/attributes/with-values/?attributes=mood&days=7&page=1&limit=100") {
            $0.attributes(names: ["mood"])
        },
        SentCall("GET /api/2/attributes/with-values/?days=7&page=1&limit=100") { $0.attributes() },
        SentCall("GET /api/2/attributes/with-values/?days=3&page=1&limit=100") { $0.attributes(days: 3) },
        SentCall("GET /api/2/attributes/with-values/?days=31&date_max=2024-02-03&page=1&limit=100") {
            $0.attributes(from: first, through: last)
        },
        SentCall("GET /api/2/attributes/with-values/?days=1&page=1&limit=100") { $0.attributes(day: nil) },
        SentCall("GET /api/2/attributes/with-values/?days=1&date_max=2024-02-03&page=1&limit=100") {
            $0.attributes(day: last)
        },
        SentCall("GET /api/2/attributes/with-values/?groups=custom&days=1&date_max=2024-02-03&page=1&limit=100") {
            $0.tags(day: last)
        },
        SentCall("GET /api/2/attributes/values/?attribute=a%26b&date_max=2024-02-03&page=1&limit=100") {
            existAPI -> Promise<ExistAPI.HistoryOutput> in
            let attribute = Attribute(name: "a&b", group: AttributeGroup(name: "x"), valueType: .int)
            return existAPI.history(of: attribute, through: last)
        },
        SentCall("GET /api/2/insights/?page=2&limit=2") { $0.insights(limit: 2, page: 2) },
        SentCall("GET /api/2/insights/?date_min=2024-02-02&page=1&limit=100") { $0.insights(days: 30) },
        SentCall("GET /api/2/insights/?date_min=2024-03-02&page=1&limit=100") { $0.insights(days: 0) },
        SentCall("GET /api/2/averages/?attributes=mood&page=1&limit=100") { $0.averages(for: "mood") },
        SentCall("GET /api/2/averages/?attributes=mood&include_historical=1&page=1&limit=100") {
            $0.averages(for: "mood", includeHistorical: true)
        },
        SentCall("GET /api/2/averages/?attributes=steps&include_historical=1&page=1&limit=5") {
            $0.averages(for: "steps", includeHistorical: true, limit: 5)
        },
        SentCall("GET /api/2/correlations/?page=1&limit=100") { $0.correlations() },
        SentCall("GET /api/2/correlations/?attribute=mood&page=1&limit=100") { $0.correlations(for: "mood") },
        SentCall("GET /api/2/correlations/?strong=1&confident=1&page=2&limit=4") {
            $0.correlations(strong: true, confident: true, limit: 4, page: 2)
        },
        SentCall("GET /api/2/correlations/combo/?attribute=mood&attribute2=guitar") {
            $0.correlation(between: "mood", and: "guitar")
        },
    ]

    private static let writes = [
        SentCall(#"POST /api/2/attributes/acquire/ [{"name":"steps"},{"name":"日記"}]"#) {
            $0.acquire(names: ["steps", "日記"])
        },
        SentCall(#"POST /api/2/attributes/acquire/ [{"manual":false,"template":"mood"}]"#) {
            $0.acquire(templates: ["mood"], manual: false)
        },
        SentCall(#"POST /api/2/attributes/acquire/?success_objects=1 [{"manual":true,"name":"mood"},{"template":"b"}]"#)
        {
            $0.acquire([.name("mood", manual: true), .template("b")], successObjects: true)
        },
        SentCall(#"POST /api/2/attributes/release/ [{"name":"steps"}]"#) { $0.release(names: ["steps"]) },
        SentCall(
            #"POST /api/2/attributes/create/?success_objects=1 [{"manual":false,"template":"gaming_min"},"#
                + #"{"group":"food","label":"🍵","manual":true,"value_type":0},"#
                + #"{"group":"custom","label":"Rain","value_type":7}]"#
        ) {
            $0.create([
                .template("gaming_min", manual: false),
                .custom(label: "🍵", group: "food", valueType: .int, manual: true), .tag("Rain"),
            ])
        },
        SentCall(
            #"POST /api/2/attributes/update/ [{"date":"2024-02-03","name":"a","value":1},"#
                + #"{"date":"2024-02-03","name":"b","value":0.1},{"date":"2024-02-03","name":"c","value":"x/y"},"#
                + #"{"date":"2024-02-03","name":"sleep_start","value":742},"#
                + #"{"date":"2024-02-03","name":"sleep_end","value":22},"#
                + #"{"date":"2024-02-03","name":"water","value":1500}]"#
        ) { existAPI -> Promise<ExistAPI.UpdateOutput> in
            let litres = Measurement(value: 1.5, unit: UnitVolume.liters)
            guard let last, let time = TimeOfDay(hour: 0, minute: 22),
                let water = try? MeasurementAttributeUpdate(name: "water", day: last, value: litres)
            else { return Promise(error: NoSuchDay()) }
            return existAPI.update(attributes: [
                IntAttributeUpdate(name: "a", day: last, value: 1),
                FloatAttributeUpdate(name: "b", day: last, value: 0.1),
                StringAttributeUpdate(name: "c", day: last, value: "x/y"),
                TimeOfDayAttributeUpdate(name: "sleep_start", day: last, value: time),
                TimeOfDayAttributeUpdate(name: "sleep_end", day: last, value: time),
                water,
            ])
        },
        SentCall(
            #"POST /api/2/attributes/increment/ [{"name":"gaming_min","value":2},"#
                + #"{"date":"2024-02-03","name":"b","value":0.75}]"#
        ) {
            $0.increment(attributes: [
                AttributeIncrement(name: "gaming_min", by: 2), AttributeIncrement(name: "b", by: 0.75, day: last),
            ])
        },
        SentCall(
            #"POST /api/2/attributes/update/ [{"date":"2024-02-03","name":"rain","value":1},"#
                + #"{"date":"2024-02-03","name":"b","value":0}]"#
        ) { existAPI -> Promise<ExistAPI.UpdateOutput> in
            guard let last else { return Promise(error: NoSuchDay()) }
            return existAPI.setTags(["rain"], clearing: ["b"], on: last)
        },
    ]
}
