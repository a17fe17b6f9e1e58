import Pledge

// Waiting for the rate limits of tokens.
extension Schedule {
    mutating func waitForToken(_ job: Job, _ now: Double) {
        guard let entry = jobs[job], let ahead = tokens[entry.owner.token]?.waiting.count,
            let opening = tokens[entry.owner.token]?.opening(after: ahead, now: now)
        else { return }
        guard entry.waited + opening - now <= rules.longestWait else { return refuse(job, seconds: opening - now) }
        guard park(job, .waitingForToken, now) else { return }
        jobs[job]?.waitsSince = now
        tokens[entry.owner.token]?.waiting.append(job)
        if ahead == 0 { setAlarm(entry.owner.token, at: opening) }
    }

    /// Handles a 429: the token is closed for that long, and its account waits.
    mutating func wait(_ job: Job, forLimit asked: Double, _ now: Double) -> Bool {
        guard let entry = jobs[job] else { return false }
        // A service that repeatedly specifies no wait at all is not taken literally.
        let seconds = max(asked, min(Double(1 << min(entry.limited, 6)), 60))
        jobs[job]?.limited += 1
        close(entry.owner.token, until: now + seconds, now)
        guard entry.waited + seconds <= rules.longestWait else { return false }
        waitForToken(job, now)
        return true
    }

    mutating func close(_ token: HashKey, until time: Double, _ now: Double) {
        guard tokens[token]?.close(until: time) == true, let waiting = tokens[token]?.waiting.takeAll(),
            !waiting.isEmpty
        else { return }
        // An account that cannot wait that long does not start to wait.
        for job in waiting {
            guard let entry = jobs[job], entry.place == .waitingForToken else { continue }
            jobs[job]?.waited += now - entry.waitsSince
            waitForToken(job, now)
        }
    }

    mutating func release(_ token: HashKey, _ now: Double) {
        while tokens[token]?.hasRoom(now: now) == true, let job = tokens[token]?.waiting.popFirst() {
            guard let entry = jobs[job], entry.place == .waitingForToken else { continue }
            jobs[job]?.waited += now - entry.waitsSince
            if self[entry.owner.service].isUp { makeReady(job) } else { admit(job, now) }
        }
        guard tokens[token]?.waiting.isEmpty == false, let next = tokens[token]?.opening(after: 0, now: now) else {
            return
        }
        setAlarm(token, at: max(next, now + 0.001))
    }

    /// Remembers the requests of a token that is no longer used, for as long as they count.
    mutating func rest(_ token: HashKey, _ limit: TokenLimit, _ now: Double) {
        rested[token] = limit.rested(now: now)
        guard rested.count > mostRested else { return }
        rested = rested.filter { $0.value.last + rules.period > now }
        mostRested = max(Self.fewRested, 2 * rested.count)
    }

    mutating func setAlarm(_ token: HashKey, at time: Double) {
        tokens[token]?.alarm = time
        agenda.set(.token(token, at: time), at: time)
    }

    /// A permitted request will not be sent, so another one may be.
    mutating func takeBack(_ token: HashKey) {
        tokens[token]?.takeBack()
        if tokens[token]?.waiting.isEmpty == false { setAlarm(token, at: 0) }
    }
}
