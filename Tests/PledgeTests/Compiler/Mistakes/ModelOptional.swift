import Pledge

// error: must be unwrapped

private func program() {
    session.page(of: Participant.ID()).map { $0.results[0].firstName }.done { name in show(name) }.cauterize()
}
