import PledgePromiseKit

// error: 'firstly(execute:)' is unavailable: say `@_spi(PromiseKit) import PledgePromiseKit` in this file

func wait() { firstly { after(seconds: 1) }.done { print("done") } }
