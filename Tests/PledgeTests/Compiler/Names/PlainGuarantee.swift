import PledgePromiseKit

// error: 'Guarantee' is unavailable: say `@_spi(PromiseKit) import PledgePromiseKit` in this file

func login() -> Guarantee<Int> { fatalError() }
