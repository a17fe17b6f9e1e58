import Dispatch
@_spi(PromiseKit) import PledgePromiseKit

// This file is compiled in the Swift 5 mode, because code that was written for PromiseKit passes values that are not Sendable.
// An operator on a guarantee of such a value must return a guarantee, which doesn't throw and needs no `catch`.

class Plain {}
let queue = DispatchQueue(label: "q")

func waited(_ promises: [Promise<[String: Any]>]) {
    when(resolved: promises).map(on: queue) { results -> Void in
        guard case .fulfilled(let first) = results[0] else { return }
        print(first)
    }.wait()
}
func mapped(_ guarantee: Guarantee<Int>) { _ = guarantee.map(on: queue) { _ in Plain() }.wait() }
func resolved(_ promises: [Promise<Plain>]) { when(resolved: promises).done { _ in print(1) } }
func all(_ guarantees: [Guarantee<Plain>]) { when(guarantees: guarantees).done { _ in print(1) } }
func counted(_ promises: [Promise<Plain>]) -> Guarantee<Int> {
    let count = when(resolved: promises).map { $0.count }
    return count
}
func made() -> Guarantee<Plain> {
    let (guarantee, fulfill) = Guarantee<Plain>.pending()
    fulfill(Plain())
    guarantee.done { _ in }
    return guarantee
}
