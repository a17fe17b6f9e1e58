import Pledge

// error: value of type 'Participant' has no member 'cancel'
// Swift chooses the asynchronous call wherever it could be awaited.

private func program() async {
    let started = session.participant()
    started.cancel()
}
