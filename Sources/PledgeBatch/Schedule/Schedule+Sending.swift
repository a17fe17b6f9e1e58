import Pledge

// From a request to its permit.
extension Schedule {
    /// Determines what an account has to wait for.
    mutating func admit(_ job: Job, _ now: Double) {
        guard let entry = jobs[job] else { return }
        let (service, token) = (entry.owner.service, entry.owner.token)
        switch self[service].state {
        case .gone: return abandon(job)
        case .down: return hold(job, now)
        case .up: break
        }
        guard tokens[token]?.window.hasRoom(now: now) == true, tokens[token]?.waiting.isEmpty == true else {
            return waitForToken(job, now)
        }
        makeReady(job)
    }

    mutating func makeReady(_ job: Job, asProbe: Bool = false) {
        guard let entry = jobs[job] else { return }
        tokens[entry.owner.token]?.window.reserve()
        jobs[job]?.state = .ready
        if entry.isAtWork {
            going.append(job)
        } else if asProbe {
            probing.append(job)
        } else if entry.hasBegun {
            returning.append(job)
        } else {
            fresh.append(job)
        }
    }

    /// Permits all requests that can be sent.
    mutating func drain(_ now: Double) {
        while pace.isOpen(now: now) {
            if let job = going.popFirst() {
                go(job, now)
            } else if atWork < rules.inFlight, let job = probing.popFirst() ?? returning.popFirst() ?? fresh.popFirst()
            {
                go(job, now)
            } else {
                return
            }
        }
    }

    /// Whether what permitted the account's request still holds.
    func maySend(_ job: Job, _ now: Double) -> Bool {
        guard let owner = jobs[job]?.owner, tokens[owner.token]?.window.isClosed(now: now) == false else {
            return false
        }
        return self[owner.service].isUp || self[owner.service].probing == job
    }

    mutating func go(_ job: Job, _ now: Double) {
        guard let entry = jobs[job], entry.state == .ready else { return }
        let (service, token) = (entry.owner.service, entry.owner.token)
        guard maySend(job, now) else {
            // The situation has changed since.
            jobs[job]?.state = .working
            takeBack(token)
            if self[service].probing == job { endProbe(service, now) }
            return admit(job, now)
        }
        tokens[token]?.window.send(now: now)
        pace.send(now: now)
        if !entry.isAtWork {
            atWork += 1
            if entry.hasBegun { waits[service, default: (0, 0)].seconds += now - entry.parkedSince }
        }
        jobs[job]?.isAtWork = true
        jobs[job]?.state = entry.hasBegun ? .working : .granted
        jobs[job]?.hasBegun = true
        actions.append(entry.hasBegun ? .send(job) : .begin(job))
    }

    /// Gives up the account's slot or, if no more accounts are to start, the account itself.
    ///
    /// - Returns: Whether it now waits.
    mutating func park(_ job: Job, _ state: State, _ now: Double) -> Bool {
        guard let entry = jobs[job] else { return false }
        guard !isStopped else {
            abandon(job)
            return false
        }
        if entry.isAtWork {
            atWork -= 1
            waits[entry.owner.service, default: (0, 0)].count += 1
            jobs[job]?.parkedSince = now
        }
        jobs[job]?.isAtWork = false
        jobs[job]?.state = state
        return true
    }

    mutating func abandon(_ job: Job) {
        guard let entry = jobs[job], entry.state != .leaving else { return }
        jobs[job]?.state = .leaving
        if entry.state == .ready { takeBack(entry.owner.token) }
        actions.append(.abandon(job))
    }

    mutating func refuse(_ job: Job, seconds: Double) {
        guard let entry = jobs[job], entry.state != .leaving else { return }
        if entry.hasBegun {
            jobs[job]?.state = .working
            actions.append(.refuse(job, seconds: seconds))
        } else {
            jobs[job]?.state = .refused(seconds: seconds)
            jobs[job]?.hasBegun = true
            actions.append(.begin(job))
        }
    }
}
