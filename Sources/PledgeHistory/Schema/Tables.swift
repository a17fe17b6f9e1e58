/// The tables as a sync writes them.
enum Tables {
    static let attribute = Table(
        "attribute", key: ["account", "name"],
        [
            "label", "group_name", "group_label", "group_priority", "priority", "template", "value_type",
            "value_type_name", "unit", "service", "manual", "active", "removed",
        ])
    static let value = Table("value", key: ["account", "attribute", "day"], ["value"])
    static let average = Table(
        "average", key: ["account", "attribute"],
        ["day", "overall", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
    static let correlation = Table(
        "correlation", key: ["account", "attribute", "attribute2", "category", "days_between"],
        [
            "day", "period", "value", "p", "percentage", "stars", "sentence", "strength", "certainty", "description",
            "occurrence", "rating",
        ])
    static let insight = Table(
        "insight", key: ["account", "created", "type"],
        ["created_offset", "day", "attribute", "period", "priority", "text", "html"])
    static let project = Table(
        "project", key: ["id"],
        [
            "name", "description", "code", "type", "organization_id", "organization", "support_email", "support_phone",
            "learn_more",
        ])
    static let participant = Table(
        "participant", key: ["account"],
        [
            "id", "identifier", "secondary_identifier", "link_identifier", "project", "enrolled", "first_name",
            "middle_name", "last_name", "email", "mobile_phone", "street1", "street2", "city", "state", "postal_code",
            "date_of_birth", "language", "gender", "time_zone", "utc_offset", "unsubscribed_from_emails",
            "unsubscribed_from_sms", "custom_fields",
        ])
    static let point = Table(
        "device_data_point", key: ["account", "id"],
        [
            "namespace", "type", "value", "units", "started", "started_offset", "observed", "observed_offset",
            "inserted", "modified", "identifier", "context", "source", "source_properties", "properties",
        ])
    static let task = Table(
        "survey_task", key: ["account", "id"],
        [
            "survey_id", "survey", "title", "description", "status", "has_saved_progress", "started", "started_offset",
            "ended", "ended_offset", "due", "due_offset", "inserted", "modified", "link_identifier",
        ])
    static let answer = Table(
        "survey_answer", key: ["account", "id"],
        [
            "result", "survey_id", "survey", "title", "version", "task", "step", "question", "answer", "answers",
            "answered", "answered_offset", "inserted",
        ])
    static let notification = Table(
        "notification", key: ["account", "id"],
        ["identifier", "type", "status", "sent", "title", "body", "content"])
    static let externalAccount = Table(
        "external_account", key: ["account", "id"],
        ["provider_id", "provider", "category", "status", "refreshed"])
    static let state = Table(
        "sync_state", key: ["account", "list", "name"],
        ["bookmark", "oldest", "begins", "is_complete", "page", "next_bookmark", "inactive"])
}
