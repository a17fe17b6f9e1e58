# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("a result is no line of its own", "return line + [0x0A]", "return Array(line)", "ResultsFileTests"),
    ("a key whose line was not written has a result", "                index.keys.remove(hash)\n", "",
     "ResultsFileTests"),
    ("a second result for a key is stored", "guard index.keys.insert(hash).inserted else",
     "guard index.keys.insert(hash).inserted || true else", "ResultsFileTests"),
    ("what could not be read again is stored", "guard (try? JSONTape(line)).flatMap(Self.key) != nil else",
     "guard true else", "ResultsFileTests"),
    ("a file is closed while a value is being stored", "{ isClosed && pending == 0 }", "{ isClosed }",
     "ResultsFileTests"),
    ("a line that another process is writing is read", "            !$0.isTorn\n", """            _ = $0
            return true
""", "ResultsFileTests"),
    ("an item that is there twice is done twice",
     "return !items.isFinished(key) && begun.insert(HashKey(key.utf8)).inserted", "return !items.isFinished(key)",
     "ResultsFileTests"),
    ("lines that arrive later wait for ever", "                if state.waiting.isEmpty { state.isWriting = false }\n",
     "", "LineWriterTests"),
    ("lines are written after others could not be",
     "            if case .failure(let error) = outcome { state.withLock { $0.failure = error } }\n", "",
     "LineWriterTests"),
    ("what follows a line runs on the writer's queue", "DispatchQueue.global().async { resolver.resolve(outcome) }",
     "resolver.resolve(outcome)", "ResultsFileTests"),
    ("entries of the same time come out of order", "(time, number) < (other.time, other.number)", "time < other.time",
     "AgendaTests"),
    ("only the first child of an entry is compared", "for child in [2 * parent + 1, 2 * parent + 2] where",
     "for child in [2 * parent + 1] where", "AgendaTests"),
    ("the pauses between probes grow without end", "min(interval * 2, Self.longestInterval)", "interval * 2",
     "ServiceHealthTests"),
    ("the pauses of one outage are those of the next", "(.down(since: now), 1, now + 1)",
     "(.down(since: now), interval, now + interval)", "ServiceHealthTests"),
    ("failures add up though the service answers between them", "        suspects.removeAll(keepingCapacity: true)\n",
     "", "ServiceHealthTests"),
    ("an outage is never given up", "since + rules.outageWait <= now else", "since + rules.outageWait < now else",
     "ScheduleTests"),
    ("one attempt too many is made", "entry.troubled + 1 >= rules.attempts", "entry.troubled >= rules.attempts",
     "ScheduleTests"),
    ("one account's failures are an outage", "|| isLast && trouble == .noConnection", "|| isLast", "ScheduleTests"),
    ("accounts that cannot probe now are forgotten", "        passed.forEach { self[service].held.append($0) }\n", "",
     "PermitTests"),
    ("a service is not probed again when the account that probed it has ended",
     """        if self[service].probing == job { endProbe(service, now) }
        drain(now)
    }

    /// Advances""", """        drain(now)
    }

    /// Advances""", "PermitTests"),
    ("a service is not probed when an account comes while no other waits for it",
     """        guard self[service].probing == nil, self[service].nextProbe == nil else { return }
        self[service].probeSoon(now: now)
        agenda.set(.probe(service: service), at: now)
""", "", "PermitTests"),
    ("new accounts go before those that have waited", "?? returning.popFirst() ?? fresh.popFirst()",
     "?? fresh.popFirst() ?? returning.popFirst()", "PermitTests"),
    ("one account too many is at work", "atWork < rules.inFlight, let job", "atWork <= rules.inFlight, let job",
     "PermitTests"),
    ("an account overtakes those that wait for its token", ", tokens[token]?.waiting.isEmpty == true else {", " else {",
     "PermitTests"),
    ("the permit of an account that is given up is lost",
     "        if entry.place == .ready { takeBack(entry.owner.token) }\n", "", "PermitTests"),
    ("the permit of an account that ends is lost", "        if entry.place == .ready { takeBack(token) }\n", "",
     "PermitTests"),
    ("an account that waits is at work", "            atWork -= 1\n            waits[", "            waits[",
     "ScheduleTests"),
    ("stopping gives up accounts at work", "{ $0.key < $1.key }) where !entry.isAtWork {", "{ $0.key < $1.key }) {",
     "ScheduleTests"),
    ("an account is begun after the stop", "if isStopped { abandon(job) } else { admit(job, now) }", "admit(job, now)",
     "PermitTests"),
    ("those that wait for a token are not woken",
     "        if ahead == 0 { setAlarm(entry.owner.token, at: opening) }\n", "", "ScheduleTests"),
    ("a wait that is as long as allowed is refused", "guard entry.waited + opening - now <= rules.longestWait else",
     "guard entry.waited + opening - now < rules.longestWait else", "PermitTests"),
]
