@testable import PledgeSandbox

extension ExistSandbox {
    /// Removes all but a tenth of the attributes: those with enough to say for averages, correlations, and insights.
    func keepFew() {
        let few: Set = ["steps", "sleep", "mood", "mood_note"]
        for attribute in ExistFirstAttributes.attributes where !few.contains(attribute.name) {
            removeAttribute(attribute.name)
        }
    }
}
