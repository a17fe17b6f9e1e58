import Pledge

// warning: result of call to 'done' is unused

extension Screen {
    fileprivate func unhandled() { number().onMain.done { self.label = "\($0)" } }
}
