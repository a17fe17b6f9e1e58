import Foundation
import PledgeHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How far a write came before one of its requests failed as a whole. Positions are those of the items given.
public struct BatchProgress: Sendable {
    /// Items the service has answered for; what became of each is in ``result``.
    public var answered: IndexSet
    /// Items of the request that failed. Nothing is known of them if the line was lost or the service broke; where it
    /// refused the request, none was done.
    public var unknown: IndexSet
    /// Items that were not sent.
    public var unsent: IndexSet
    /// What became of the answered ones: a ``BatchResult`` of the call's own type.
    public var result: any Sendable
}

extension ExistAPI {
    /// Sends items as many at a time as the service takes, in order, and merges the replies.
    func write<Item: Sendable, Success, Failure>(
        _ items: [Item], _ sent: [SentItem],
        _ endpoint: @escaping @Sendable ([Item]) throws -> Endpoint<BatchResult<Success, Failure>>
    ) -> Promise<(BatchResult<Success, Failure>, URLResponse)> {
        for item in sent {
            if case .decimal(let value)? = item.value, !value.isFinite {
                let problem = "The value for “\(item.name ?? "")” is not a finite number: leave the item out."
                return Promise(error: ExistError(invalidArgument: problem))
            }
        }
        return write(items, sent, from: 0, after: (BatchResult(), noResponse), endpoint)
    }

    private func write<Item: Sendable, Success, Failure>(
        _ items: [Item], _ sent: [SentItem], from start: Int, after done: (BatchResult<Success, Failure>, URLResponse),
        _ endpoint: @escaping @Sendable ([Item]) throws -> Endpoint<BatchResult<Success, Failure>>
    ) -> Promise<(BatchResult<Success, Failure>, URLResponse)> {
        guard start < items.count else { return .value(done) }
        let range = start..<min(start + Self.batchLimit, items.count)
        return firstly { () -> Promise<Answer<BatchResult<Success, Failure>>> in
            send(try endpoint(Array(items[range])))
        }.mapError(on: .pledge) { error in
            var failure = ExistError(error)
            failure.batch = BatchProgress(
                answered: IndexSet(0..<range.lowerBound), unknown: IndexSet(range),
                unsent: IndexSet(range.upperBound..<items.count), result: done.0)
            return failure
        }.then(on: .pledge) { answer in
            let (result, reply) = (answer.value.placed(among: sent, in: range), answer.reply)
            self.report(result.unreadable, of: reply)
            return self.write(
                items, sent, from: range.upperBound, after: (done.0.merged(with: result), reply.urlResponse), endpoint)
        }
    }
}

extension BatchResult {
    /// This, and what a later request did.
    fileprivate func merged(with later: BatchResult) -> BatchResult {
        var all = self
        all.success += later.success
        all.failed += later.failed
        all.unreadable += later.unreadable
        return all
    }

    /// In the order of what was sent, each item completed with what the service left out.
    fileprivate func placed(among sent: [SentItem], in range: Range<Int>) -> BatchResult {
        var free = Set(range)
        var placed = self
        placed.success = Self.place(success, among: sent, in: range, &free)
        placed.failed = Self.place(failed, among: sent, in: range, &free)
        return placed
    }

    private static func place<Item: BatchItem>(
        _ items: [Item], among sent: [SentItem], in range: Range<Int>, _ free: inout Set<Int>
    ) -> [Item] {
        var ordered: [(place: Int, item: Item)] = []
        for var item in items {
            // By what the item repeats of what was sent, its value too where several are alike but for that; else by the
            // place that the service's words name.
            let alike = range.filter { free.contains($0) && item.matches(sent[$0]) }
            let place =
                alike.first { alike.count > 1 && item.hasValue(of: sent[$0]) } ?? alike.first
                ?? item.namedIndex.map { range.lowerBound + $0 }.flatMap { free.contains($0) ? $0 : nil }
            if let place {
                free.remove(place)
                item.complete(from: sent[place], at: place)
            }
            ordered.append((place ?? .max, item))
        }
        return ordered.enumerated().sorted { ($0.element.place, $0.offset) < ($1.element.place, $1.offset) }
            .map(\.element.item)
    }
}

extension BatchItem {
    fileprivate func matches(_ sent: SentItem) -> Bool {
        let names = [itemName, itemTemplate].compactMap { $0 }
        let isSame =
            sent.name.map(names.contains) ?? sent.template.map(names.contains) ?? sent.label.map { $0 == itemLabel }
        return isSame == true && (itemDay == nil || sent.day == nil || itemDay == sent.day)
    }

    /// `42` and `42.0` are the same value: the service may send back another form than it was sent.
    fileprivate func hasValue(of sent: SentItem) -> Bool {
        guard let value = itemValue, let other = sent.value else { return false }
        return value == other || (value.double != nil && value.double == other.double)
    }

    /// N of "Object at index N missing field(s) …", counted within the request.
    fileprivate var namedIndex: Int? {
        guard let words = itemError, let range = words.range(of: "at index ") else { return nil }
        return Int(words[range.upperBound...].prefix { $0.isNumber })
    }
}
