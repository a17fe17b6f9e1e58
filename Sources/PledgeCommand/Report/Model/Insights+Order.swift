import ExistKit

extension [ExistKit.Insight] {
    /// The nonempty insights by day, newest first; those without a day come last.
    var inOrderOfTime: [ExistKit.Insight] {
        filter { !$0.text.isEmpty }.sorted {
            ($0.targetDay?.description ?? "", $0.created) > ($1.targetDay?.description ?? "", $1.created)
        }
    }
}
