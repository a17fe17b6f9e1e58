import Foundation

/// The routes for the participant, the project, and what the project collects.
struct ProfileRoutes: RouteGroup {
    static let participantID = "7B1D4C1E-0A55-4E6B-9C57-0F6B2B6E9A10"
    static let participantIdentifier = "ÅRE-0042"
    static let projectID = "2c7a5b7e-3f0d-4d7c-8a39-5d7f2f2a6b41"
    static let linkIdentifier = "c0f1b5d2-77aa-4b0e-8f06-9c3f2d1e4a55"

    static let demographics: [String: SandboxJSON] = [
        "email": "maya.lindqvist@example.net", "mobilePhone": "+46 70 555 01 23", "firstName": "Maya",
        "middleName": nil, "lastName": "Lindqvist", "street1": "Björkvägen 4", "street2": "", "city": "Åre",
        "postalCode": "837 52", "dateOfBirth": "1987-02-28", "preferredLanguage": "sv", "gender": "F",
        "utcOffset": "+01:00:00", "timeZone": "Europe/Stockholm", "unsubscribedFromEmails": "false",
        "unsubscribedFromSms": "true",
    ]

    let access: ParticipantAccess
    let now: @Sendable () -> Date

    var routes: [AuthorizedRoute] {
        [
            AuthorizedRoute("GET /api/v1/delegated/participant", for: access.participants) { _ in participant },
            AuthorizedRoute("GET /api/v1/delegated/project", for: access.participants) {
                project(in: $0.headers["Accept-Language"] ?? "")
            },
            AuthorizedRoute("GET /api/v1/delegated/datacollectionsettings", for: access.participants) { _ in settings },
        ]
    }

    private var participant: SandboxResponse {
        .json([
            "participantID": .string(Self.participantID),
            "participantIdentifier": .string(Self.participantIdentifier), "secondaryIdentifier": "clinic-7",
            "linkIdentifier": .string(Self.linkIdentifier), "projectID": .string(Self.projectID),
            "demographics": .object(Self.demographics),
            "customFields": ["ARM": "B", "FAVOURITE_EMOJI": "🫐", "VISITS": "3", "NOTES": ""],
            "enrollmentDate": .string(ZonedTime.text(now().addingTimeInterval(-120 * 86_400))),
        ])
    }

    private func project(in language: String) -> SandboxResponse {
        let isSwedish = language.hasPrefix("sv")
        return .json([
            "id": .string(Self.projectID), "name": isSwedish ? "Nordisk sömnstudie" : "Nordic Sleep Study",
            "description": isSwedish ? "Sömn & ljus – en studie" : "Sleep & light – a study", "code": "NSLEEP",
            "type": "Research Study",
            "organization": [
                "id": .string(SandboxID.make(.organization, 1)), "name": "Fjäll Research", "description": nil,
                "logoUrl": "https://assets.example.org/fjall.png", "color": "#1b6e53",
            ],
            "supportEmail": "help@fjall.example.org", "supportPhone": "+46 8 555 77",
            "learnMoreLink": "https://fjall.example.org/sleep?ref=app",
            "learnMoreTitle": isSwedish ? "Läs mer" : "Read more",
        ])
    }

    private var settings: SandboxResponse {
        let types = DeviceRecords.types.map { pair -> SandboxJSON in
            ["namespace": .string(pair.namespace), "type": .string(pair.type)]
        }
        return .json([
            "fitbitEnabled": true, "garminEnabled": false, "appleHealthEnabled": true, "ehrEnabled": true,
            "airQualityEnabled": false, "weatherEnabled": false, "queryableDeviceDataTypes": .array(types),
            "sensorDataCollectionEndDate": "",
        ])
    }
}
