import Pledge

// error: has no member 'cuont'

private func program() {
    when(sure(), sureText(of: 1)).done { number, text in print(number, text.cuont) }
}
