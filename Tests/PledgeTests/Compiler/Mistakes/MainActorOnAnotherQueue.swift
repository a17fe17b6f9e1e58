import Pledge

// error: main actor-isolated property 'label'

extension Screen {
    fileprivate func load() { number().done(on: .global()) { self.label = "\($0)" }.cauterize() }
}
