import ExistKit

extension [ExistKit.Insight] {
    /// The nonempty insights by the day they are about, newest first; those without a day come last.
    var inOrderOfTime: [ExistKit.Insight] {
        filter { !$0.text.isEmpty }.sorted { one, other in
            switch (one.targetDay, other.targetDay) {
            case (let day?, let otherDay?) where day != otherDay: day > otherDay
            case (_?, nil): true
            case (nil, _?): false
            default: one.created > other.created
            }
        }
    }
}
