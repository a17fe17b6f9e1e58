import Pledge

// error: value of type 'OnMain<String>' has no member 'value'
// Swift names the view; Troubleshooting names what leaves it.

extension Screen {
    fileprivate func awaited() async throws { label = try await text(of: 1).onMain.map { $0 + self.label }.value }
}
