import Pledge

// error: mutation of captured var 'sum'
private func guaranteeMutatedVariable() {
    var sum = 0
    sure().done { sum += $0 }
    print(sum)
}

// error: invalid conversion from throwing function
private func guaranteeThatThrows() { let _: Guarantee<Int> = sureText(of: 1).map { try parse($0) } }

// error: requires that 'Promise<String>' conform to 'Unfailing'
private func guaranteeThenPromise() { let _: Guarantee<String> = sure().then { text(of: $0) } }

// error: has no member 'cuont'
private func guaranteeTypoAfterThen() {
    sure().then { number in sureText(of: number) }.done { text in print(text.cuont) }
}

// error: cannot find 'sureTetx' in scope
private func guaranteeTypoInThen() { sure().then { number in sureTetx(of: number) }.done { text in print(text.count) } }

// error: has no member 'cuont'
private func guaranteeTypoInWhen() {
    when(guarantees: sure(), sureText(of: 1)).done { number, text in print(number, text.cuont) }
}

// error: cannot convert value of type 'Int' to expected argument type 'String'
private func guaranteeWrongTypePassedOn() { sureText(of: 1).map { $0.count }.done { show($0) } }
