import Pledge

// error: has no member 'cuont'

private func program() {
    sure().map { "\($0)" }.done { text in print(text.cuont) }
}
