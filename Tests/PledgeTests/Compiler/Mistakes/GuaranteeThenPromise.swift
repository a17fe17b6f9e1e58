import Pledge

// error: requires that 'Promise<String>' conform to 'Unfailing'

private func program() {
    let _: Guarantee<String> = sure().then { text(of: $0) }
}
