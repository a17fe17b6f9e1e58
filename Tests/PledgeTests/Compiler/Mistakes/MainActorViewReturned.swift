import Pledge

// error: cannot convert return expression of type 'OnMain<Int>' to return type 'Promise<Int>'
// Swift has no conversion from the view; Troubleshooting names what leaves it.

extension Screen {
    fileprivate func loaded() -> Promise<Int> { number().onMain.get { self.label = "\($0)" } }
}
