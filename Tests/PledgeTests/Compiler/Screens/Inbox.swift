import Pledge

// An inbox in the style of SwiftUI: an observed model, and views that load when they appear. Only Apple's systems have
// SwiftUI, so the first declarations imitate it.
@MainActor @preconcurrency protocol View {
    associatedtype Body: View
    var body: Body { get }
}
extension Never: View { var body: Never { fatalError() } }
struct Button: View {
    init(_ title: String, action: @escaping @MainActor () -> Void) {}
    var body: Never { fatalError() }
}
extension View {
    func onAppear(perform action: @escaping () -> Void) -> some View { self }
    func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
}
@propertyWrapper struct State<Value: Sendable>: Sendable {
    init(wrappedValue: Value) {}
    var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}

struct Message: Sendable { var text = "" }
func inbox() -> Promise<[Message]> { .value([Message()]) }
func unread() -> Guarantee<Int> { .value(1) }

@MainActor final class InboxModel {
    var messages: [Message] = [], unreadCount = 0, failure: String?
    private var loading: Promise<Void>?

    func load() {
        loading = inbox().onMain.done { self.messages = $0 }.catch { self.failure = "\($0)" }.promise
        unread().onMain.done { self.unreadCount = $0 }
    }
    func stop() { loading?.cancel() }
    func reload() async {
        do { messages = try await inbox().onMain.filterValues { $0.text != self.failure }.promise.value } catch {
            stop()
        }
    }
}

struct InboxView: View {
    @State var lines: [String] = []
    @State var failure = ""
    let model: InboxModel

    var body: some View {
        Button(failure) {
            inbox().onMain.mapValues { $0.text + failure }.done { lines = $0 }.catch { failure = "\($0)" }
        }.onAppear {
            model.load()
            unread().onMain.map { "\($0) unread" }.done { lines = [$0] }
        }.task {
            await model.reload()
        }
    }
}
