import Pledge

// error: requires that 'OnMain<Int>' conform to 'Thenable'

@MainActor private func program() {
    number().onMain.then { number in text(of: number).onMain.map { $0.count } }.done { print($0) }.cauterize()
}
