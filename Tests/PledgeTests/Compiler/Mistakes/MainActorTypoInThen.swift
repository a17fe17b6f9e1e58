import Pledge

// error: has no member 'usernmae'

extension Screen {
    fileprivate func typo() {
        exist.user().onMain.then { user, _ in exist.attributes(names: [user.usernmae]) }.done { attributes, _ in
            self.label = "\(attributes.count)"
        }.cauterize()
    }
}
