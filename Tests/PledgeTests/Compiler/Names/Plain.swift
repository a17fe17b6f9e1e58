import PledgePromiseKit

// error: 'Promise' is unavailable: say `@_spi(PromiseKit) import PledgePromiseKit` in this file

func login() -> Promise<Int> { fatalError() }
