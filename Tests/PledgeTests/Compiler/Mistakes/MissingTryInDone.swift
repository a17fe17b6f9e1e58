import Pledge

// error: call can throw, but it is not marked with 'try'

private func program() {
    text(of: 1).done { text in
        let number = parse(text)
        print(number)
    }.cauterize()
}
