/// A value in memory of its own, for a field that is seldom used.
final class Box<Content> {
    let content: Content

    init(_ content: Content) {
        self.content = content
    }
}
