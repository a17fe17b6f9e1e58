import Pledge

// error: type 'Any' cannot conform to 'Thenable'
// Swift joins the elements of a list of calls before it knows what they return.

private func program() {
    when(fulfilled: [exist.user(), exist.user()]).done { users in print(users[0].user.usernmae) }.cauterize()
}
