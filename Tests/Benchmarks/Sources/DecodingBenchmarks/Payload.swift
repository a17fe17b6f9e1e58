import Foundation

/// Full pages, with items like those in the services' documentation.
enum Payload {
    static let attributes = page(100) { index in
        // One third of the attributes has whole numbers, one third decimals, and one third texts.
        let type = index % 3
        let values = (0..<31).map { day -> String in
            let value = [String(1000 + index * 31 + day), "\(index).\(day + 10)", "\"A note of day \(day)\""][type]
            return #"{"date": "2024-01-\#(padded(31 - day))", "value": \#(day % 10 == 9 ? "null" : value)}"#
        }
        return """
            {"template": "attribute_\(index)", "name": "attribute_\(index)", "label": "Attribute \(index)",
             \(group), "service": {"name": "withings", "label": "Withings"}, "active": true, "priority": 1,
             "manual": false, "value_type": \(type), "value_type_description": "Integer",
             "values": [\(values.joined(separator: ","))]}
            """
    }

    static let averages = page(100) { index in
        """
        {"user_attribute": "attribute_\(index)", "date": "2024-02-25", "overall": \(index).5, "monday": 5800.0,
         "tuesday": 6120.0, "wednesday": 6400.0, "thursday": 5990.0, "friday": 6210.0, "saturday": 7102.5,
         "sunday": 4300.0}
        """
    }

    static let correlations = page(100) { index in
        """
        {"date": "2024-02-25", "period": 364, "offset": 0, "attribute": "mood", "attribute2": "attribute_\(index)",
         "value": 0.3\(padded(index))0944, "p": 4.07e-07, "percentage": 31.20944, "stars": 5,
         "second_person": "you have a better day when you tag 'guitar' more.",
         "second_person_elements": ["you have a better day", "when", "you tag 'guitar' more"],
         "attribute_category": null, "strength_description": "Sometimes go together",
         "stars_description": "Certain to be related", "description": null, "occurrence": "Common",
         "rating": \(index % 3 == 0 ? #"{"positive": true, "rating_type": 50, "rating": "Useful"}"# : "null")}
        """
    }

    static let insights = page(100) { index in
        """
        {"created": "2024-03-02T06:05:\(padded(index % 60))+01:00", "target_date": "2024-03-01",
         "type": {"name": "steps_best_since_x", "period": 1, "priority": 2,
          "attribute": {"name": "steps", "label": "Steps", \(group), "priority": 1, "value_type": 0,
           "value_type_description": "Integer"}},
         "html": "<div class=\\"secondary\\">Most steps for \(index) days</div>\\r\\n<div>12 044 on Friday</div>",
         "text": "Most steps for \(index) days\\r\\n12 044 on Friday"}
        """
    }

    static let deviceData = Data(
        """
        {"deviceDataPoints": [\((0..<100).map { index in
            """
            {"id": "a1b2c30b-5a1c-4f2e-9b3d-0000000013\(padded(index))", "namespace": "Fitbit",
             "deviceDataContextID": null, "insertedDate": "2024-03-01T23:59:\(padded(index % 60)).131Z",
             "modifiedDate": "2024-03-02T00:00:00Z", "identifier": "hk-\(index)", "type": "RestingHeartRate",
             "value": "\(50 + index % 40)", "units": "count/min", "properties": {"Metadata_Locale": "sv_SE"},
             "source": {"identifier": "com.example.clock", "properties": {"SourceName": "Zoës klocka"}},
             "startDate": "2024-03-01T00:00:00-05:00", "observationDate": "2024-03-01T23:58:41.5-05:00"}
            """
        }.joined(separator: ","))], "nextPageID": "b2Zmc2V0PTM="}
        """.utf8)

    private static let group = #""group": {"name": "activity", "label": "Activity", "priority": 1}"#

    private static func padded(_ number: Int) -> String { String(format: "%02d", number) }

    private static func page(_ count: Int, _ item: (Int) -> String) -> Data {
        let items = (0..<count).map(item).joined(separator: ",")
        return Data(#"{"count": \#(count), "next": null, "previous": null, "results": [\#(items)]}"#.utf8)
    }
}
