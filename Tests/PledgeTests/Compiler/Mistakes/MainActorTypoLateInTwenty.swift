import Pledge

// error: has no member 'cuont'

@MainActor private func program() {
    number().onMain.then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }.get { print($0) }
        .map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.then { text(of: $0) }.get {
            print($0)
        }
        .map { $0.count }.then { text(of: $0) }.get { print($0) }.map { $0.count }.ensure { print("over") }
        .then { text(of: $0) }.map { $0.count }.done { number in print(number.cuont) }.cauterize()
}
