import Pledge

// error: main actor-isolated property 'label'

private func program(_ screen: Screen) {
    number().done { number in screen.label = "\(number)" }.cauterize()
}
