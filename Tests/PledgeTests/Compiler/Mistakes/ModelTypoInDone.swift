import Pledge

// error: value of type 'Participant' has no member 'done'
// Swift reports the other form of a call that can also be awaited.

private func program() {
    session.participant().done { participant in print(participant.fistName ?? "") }.cauterize()
}
