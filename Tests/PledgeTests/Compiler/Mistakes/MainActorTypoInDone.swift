import Pledge

// error: value of type 'User' has no member 'usernmae'

extension Screen {
    fileprivate func typo() {
        exist.user().onMain.ensure { self.label = "" }.done { user, _ in self.label = user.usernmae }.cauterize()
    }
}
