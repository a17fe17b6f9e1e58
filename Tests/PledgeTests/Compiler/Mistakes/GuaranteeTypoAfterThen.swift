import Pledge

// error: has no member 'cuont'

private func program() {
    sure().then { number in sureText(of: number) }.done { text in print(text.cuont) }
}
