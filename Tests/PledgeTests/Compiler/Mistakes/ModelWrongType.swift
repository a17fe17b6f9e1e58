import Pledge

// error: cannot convert value of type 'Participant' to expected argument type 'Participant.ID'

private func program() {
    session.participant().then { session.page(of: $0) }.done { page in print(page.results.count) }.cauterize()
}
