import Foundation

struct Insight: Decodable, Sendable, Equatable {
    var created: Date
    var targetDay: ExistDay?
    var targetDate: Date? { targetDay?.date }
    var type: InsightType
    var html: String
    var text: String
    init(created: Date, targetDay: ExistDay? = nil, type: InsightType, text: String, html: String = "") {
        self.created = created
        self.targetDay = targetDay
        self.type = type
        self.text = text
        self.html = html
    }

    private enum CodingKeys: String, CodingKey {
        case created, type, html, text
        case targetDay = "target_date"
    }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        created = try Moment.decode(container, .created)
        targetDay = try container.decodeIfPresent(ExistDay.self, forKey: .targetDay)
        type = try container.decode(InsightType.self, forKey: .type)
        html = try container.decodeIfPresent(String.self, forKey: .html) ?? ""
        text = try container.decodeIfPresent(String.self, forKey: .text) ?? ""
    }
}
struct InsightType: Decodable, Sendable, Equatable {
    var name: String
    var period: Int?
    var priority: Int?
    var attribute: InsightAttribute?
    init(name: String, period: Int? = nil, priority: Int? = nil, attribute: InsightAttribute? = nil) {
        self.name = name
        self.period = period
        self.priority = priority
        self.attribute = attribute
    }
}
struct InsightAttribute: Decodable, Sendable, Equatable {
    var name: String
    var label: String?
    var group: AttributeGroup?
    var priority: Int?
    var valueType: ValueType?
    var valueTypeDescription: String?
    init(
        name: String, label: String? = nil, group: AttributeGroup? = nil, priority: Int? = nil,
        valueType: ValueType? = nil, valueTypeDescription: String? = nil
    ) {
        self.name = name
        self.label = label
        self.group = group
        self.priority = priority
        self.valueType = valueType
        self.valueTypeDescription = valueTypeDescription
    }

    private enum CodingKeys: String, CodingKey {
        case name, label, group, priority
        case valueType = "value_type"
        case valueTypeDescription = "value_type_description"
    }
}
typealias InsightResponse = ExistPage<Insight>
