import ExistKit
import PledgePromiseKit

// error: 'Promise' is ambiguous for type lookup in this context
// error: ambiguous use of 'firstly(execute:)'

func login() -> Promise<Int> { .value(1) }
func show(_ existAPI: ExistAPI) { firstly { existAPI.user() }.done { user, _ in print(user) }.cauterize() }
