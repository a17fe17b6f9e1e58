import Pledge

// From a request to its permit.
extension Schedule {
    /// Determines what an item has to wait for.
    mutating func admit(_ item: Item, _ now: Double) {
        guard let entry = items[item] else { return }
        let (service, token) = (entry.owner.service, entry.owner.token)
        guard self[service].isUp else { return self[service].state == .gone ? giveUp(item) : hold(item, now) }
        guard !entry.comesLast || mayStartDeferred else {
            if park(item, .deferred, now) { deferred.append(item) }
            return
        }
        guard tokens[token]?.window.hasRoom(now: now) == true, tokens[token]?.waiting.isEmpty == true else {
            return waitForToken(item, now)
        }
        makeReady(item)
    }

    mutating func makeReady(_ item: Item, asProbe: Bool = false) {
        guard let entry = items[item] else { return }
        tokens[entry.owner.token]?.window.reserve()
        items[item]?.state = .ready
        if entry.isAtWork {
            going.append(item)
        } else if asProbe {
            probing.append(item)
        } else if hasFailed(item) {
            last.append(item)
        } else if entry.hasBegun {
            returning.append(item)
        } else {
            fresh.append(item)
        }
    }

    mutating func drain(_ now: Double) {
        while mayStartDeferred, let item = deferred.popFirst() {
            if items[item]?.state == .deferred { admit(item, now) }
        }
        while nextSend <= now {
            if let item = going.popFirst() {
                go(item, now)
            } else if atWork < rules.inFlight,
                let item = probing.popFirst() ?? returning.popFirst() ?? fresh.popFirst() ?? last.popFirst()
            {
                go(item, now)
            } else {
                return
            }
        }
    }

    /// Whether what permitted the item's request still holds.
    func maySend(_ item: Item, _ now: Double) -> Bool {
        guard let owner = items[item]?.owner, tokens[owner.token]?.window.isClosed(now: now) == false else {
            return false
        }
        return self[owner.service].isUp || self[owner.service].probing == item
    }

    mutating func go(_ item: Item, _ now: Double) {
        guard let entry = items[item], entry.state == .ready else { return }
        let (service, token) = (entry.owner.service, entry.owner.token)
        guard maySend(item, now) else {
            // The situation has changed since.
            items[item]?.state = .working
            takeBack(token)
            if self[service].probing == item { endProbe(service, now) }
            return admit(item, now)
        }
        tokens[token]?.window.send(now: now)
        items[item]?.sent.append(now)
        if interval > 0 { nextSend = now + interval }
        if !entry.isAtWork {
            atWork += 1
            if case .left(let time) = entry.slot { waits[service]?.seconds += now - time }
            items[item]?.slot = .taken(at: now)
            if let longest = rules.longestWork {
                timers.set(.overtime(item, since: now), at: now + max(0, longest - entry.worked))
            }
        }
        items[item]?.state = entry.hasBegun ? .working : .granted
        actions.append(entry.hasBegun ? .send(item) : .begin(item))
    }

    /// Gives up the item's slot or, if no more items are to start, the item itself. Returns whether it now waits.
    mutating func park(_ item: Item, _ state: State, _ now: Double) -> Bool {
        guard !isStopped else {
            abandon(item)
            return false
        }
        if let entry = items[item], case .taken(let time) = entry.slot {
            atWork -= 1
            items[item]?.worked += now - time
            waits[entry.owner.service, default: (0, 0)].count += 1
            items[item]?.slot = .left(at: now)
        }
        items[item]?.state = state
        return true
    }

    mutating func abandon(_ item: Item) {
        guard let entry = items[item], entry.state != .abandoned else { return }
        items[item]?.state = .abandoned
        if entry.state == .ready { takeBack(entry.owner.token) }
        actions.append(.abandon(item))
    }

    mutating func refuse(_ item: Item, seconds: Double, _ now: Double) {
        guard let entry = items[item] else { return }
        if entry.hasBegun {
            items[item]?.state = .working
            actions.append(.refuse(item, seconds: seconds))
        } else {
            items[item]?.state = .refused(seconds: seconds)
            items[item]?.slot = .left(at: now)
            actions.append(.begin(item))
        }
    }
}
