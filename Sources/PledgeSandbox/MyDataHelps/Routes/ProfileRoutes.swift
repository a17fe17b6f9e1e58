import Foundation

extension ParticipantBackend {
    func participant(_ request: ServerRequest) -> ServerResponse {
        let person = access.person(request.bearer)
        return .json([
            "participantID": .string(person.id), "participantIdentifier": .string(person.identifier),
            "secondaryIdentifier": "clinic-7", "linkIdentifier": .string(person.linkIdentifier),
            "projectID": .string(Self.projectID), "demographics": .object(person.demographics),
            "customFields": ["ARM": .string(person.arm), "FAVOURITE_EMOJI": "🫐", "VISITS": "3", "NOTES": ""],
            "enrollmentDate": .string(ZonedTime.text(person.enrolled(after: records.current.enrolled))),
        ])
    }

    func project(_ request: ServerRequest) -> ServerResponse {
        let isSwedish = request.headers["Accept-Language"]?.hasPrefix("sv") == true
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

    func settings(_: ServerRequest) -> ServerResponse {
        let types = DeviceRecords.types.map { pair -> ServerJSON in
            ["namespace": .string(pair.namespace), "type": .string(pair.type)]
        }
        return .json([
            "fitbitEnabled": true, "garminEnabled": false, "appleHealthEnabled": true, "ehrEnabled": true,
            "googleHealthEnabled": true, "healthConnectEnabled": true, "ouraEnabled": true, "dexcomEnabled": false,
            "airQualityEnabled": false, "weatherEnabled": false, "queryableDeviceDataTypes": .array(types),
            "sensorDataCollectionEndDate": "",
        ])
    }
}
