import Pledge

// error: has no member 'reslts'

private func program() {
    session.participant().then { session.page(of: $0.id) }.done { page in print(page.reslts.count) }.cauterize()
}
