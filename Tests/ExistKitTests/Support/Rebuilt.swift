import ExistKit

/// Returns a copy of a model, made by its public initializer from each of its properties; nil of what has none.
func rebuilt(_ model: Any) -> (any Equatable)? {
    switch model {
    case let it as Attribute:
        Attribute(
            name: it.name, label: it.label, group: it.group, valueType: it.valueType, values: it.values,
            template: it.template, serviceInfo: it.serviceInfo, active: it.active, priority: it.priority,
            manual: it.manual, valueTypeDescription: it.valueTypeDescription, availableServices: it.availableServices)
    case let it as AttributeGroup: AttributeGroup(name: it.name, label: it.label, priority: it.priority)
    case let it as AttributeService: AttributeService(name: it.name, label: it.label)
    case let it as AttributeTemplate:
        AttributeTemplate(
            name: it.name, label: it.label, group: it.group, priority: it.priority, valueType: it.valueType,
            valueTypeDescription: it.valueTypeDescription)
    case let it as Average:
        Average(
            attribute: it.attribute, day: it.day, overall: it.overall,
            weekdays: [
                .monday: it.monday, .tuesday: it.tuesday, .wednesday: it.wednesday, .thursday: it.thursday,
                .friday: it.friday, .saturday: it.saturday, .sunday: it.sunday,
            ].compactMapValues { $0 })
    case let it as Correlation:
        Correlation(
            day: it.day, attribute: it.attribute, attribute2: it.attribute2, value: it.value, period: it.period,
            offset: it.offset, p: it.p, percentage: it.percentage, stars: it.stars, secondPerson: it.secondPerson,
            secondPersonElements: it.secondPersonElements, attributeCategory: it.attributeCategory,
            strengthDescription: it.strengthDescription, starsDescription: it.starsDescription,
            description: it.description, occurrence: it.occurrence, rating: it.rating)
    case let it as CorrelationRating:
        CorrelationRating(positive: it.positive, rating: it.rating, ratingType: it.ratingType)
    case let it as Insight:
        Insight(created: it.created, targetDay: it.targetDay, type: it.type, text: it.text, html: it.html)
    case let it as InsightType:
        InsightType(name: it.name, period: it.period, priority: it.priority, attribute: it.attribute)
    case let it as InsightAttribute:
        InsightAttribute(
            name: it.name, label: it.label, group: it.group, priority: it.priority, valueType: it.valueType,
            valueTypeDescription: it.valueTypeDescription)
    case let it as SuccessfulAttribute:
        SuccessfulAttribute(name: it.name, template: it.template, active: it.active, attribute: it.attribute)
    case let it as UpdatedAttribute:
        UpdatedAttribute(name: it.name, day: it.day, value: it.value, current: it.current)
    case let it as User:
        User(
            username: it.username, firstName: it.firstName, lastName: it.lastName, avatar: it.avatar,
            timezone: it.timezone, localTime: it.localTime, utcOffset: it.utcOffset,
            imperialDistance: it.imperialDistance, imperialWeight: it.imperialWeight,
            imperialEnergy: it.imperialEnergy, imperialLiquid: it.imperialLiquid,
            imperialTemperature: it.imperialTemperature, trial: it.trial, delinquent: it.delinquent)
    default: nil
    }
}
