# Name, what stands once in the module, what stands there instead, and the tests that should notice.
edits = [
    ("a cancel leaves what it waits for without canceling it", "ahead += promise.leaveSource()",
     "_ = promise.leaveSource()", "ClimbingTests|CancelTests"),
    ("an ensure that runs at once runs again later", "(source as? PromiseStorage)?.release(ticket)",
     "(source as? PromiseStorage)?.withState({ $0.change(ticket) { $0 } })", "EnsureCancelTests"),
    ("dependents don't stop a cancel", "|| counted == 0 && !has(.shared)", "|| !has(.shared)",
     "ClimbingTests|CancelTests"),
    ("who shares a promise cancels it", "counted == 0 && !has(.shared)", "counted == 0", "SharedTests"),
    ("a join keeps its losers", "        let left = leave()\n", "        let left = waited().map(\\.0)\n",
     "CombinatorMemoryTests|CombinatorCancelTests|LongLivedPromiseTests"),
    ("a cancel that comes before the source is known doesn't reach it",
     "        source.cancel(unlessAwaited: true)\n        if waits", "        if waits",
     "AdoptionRaceTests|RegistrationRaceTests|NestedCancelTests"),
    ("a handler keeps its canceled promise alive",
     "            if left.marks.contains(.long) { source?.uncount(ticket, holds: false) }\n", "", "SleepingGuaranteeTests"),
    ("a canceled guarantee is released before its closure has run", "source?.uncount(ticket, holds: true) ?? []",
     "source?.uncount(ticket, holds: isCleanup) ?? []", "AlwaysEndsTests"),
    ("a handler that is due doesn't hold its promise",
     "(work.promise as? Unheld)?.promise.map { Work(promise: $0, body: work.body) }",
     "(work.promise as? Unheld).map { held in Work { [body = work.body] _ in held.promise.map(body) } }",
     "AlwaysEndsTests"),
    ("canceled guarantees pile up below one that has no value",
     "        if has(.cancelled), source == nil { marks.insert(.long) }\n", "", "AlwaysEndsTests"),
    ("nothing learns what a canceled guarantee waits for later", "        if waits { descendLater() }\n", "",
     "AlwaysEndsTests"),
    ("a guarantee forgets the cleanups above it",
     "        if cleanup != nil || rare != nil { makeRare().cleanup = cleanup }\n", "", "ExplorerTests"),
    ("a circle waits for itself", "state.phase == .pending, self !== end else", "state.phase == .pending else",
     "AlwaysEndsTests"),
    ("a resolver that goes with a canceled chain counts as forgotten",
     "isCancelled ? PromiseError.cancelled : .dropped(", "PromiseError.dropped(", "ReleasedResolverTests"),
    ("a thread remembers a promise for which it no longer runs a handler",
     "        pledge_set_promise(outer)\n        withExtendedLifetime", "        withExtendedLifetime",
     "ReleasedResolverTests"),
    ("a call after follow counts", "$0.phase == .pending && $0.source == nil }", "$0.phase == .pending }", "FollowTests"),
    ("a race forgets the errors", ": .noWinner(errors))", ": .noWinner([]))", "RaceTests"),
    ("a retry's delay doesn't see the error", "delay.seconds(number, error)",
     "delay.seconds(number, PromiseError.cancelled)", "RetryTests"),
    ("nobody knows where a chain began", "            origin = (file, line)\n", "            _ = (file, line)\n",
     "UnhandledErrorTests"),
    ("a canceled task goes on waiting", "            storage.cancel(with: CancellationError())\n", "",
     "AsyncGuaranteeTests"),
    ("the handlers of a queue share a block", "                if queue.submits(work) { continue }\n",
     """                if case .dispatch(let target, let flags) = queue {
                    var block = [work]
                    for other in due.indices {
                        guard case .dispatch(let its, _)? = due[other].handler?.queue(after: outcome), its === target
                        else { continue }
                        block.append(contentsOf: due[other].handler.take().map { [$0.work] } ?? [])
                    }
                    target.async(flags: flags) { [block] in Trampoline.pause { for work in block { Work.run(work) } } }
                    continue
                }
                if queue.submits(work) { continue }
""", "OrderTests|DispatchQueueTests|ExecutorTests|WaitTests"),
    ("the first handler of several comes last", "due.insert((first, 0), at: 0)", "due.append((first, 0))",
     "OrderTests|PromiseStateTests"),
    ("a handler overtakes those that are being sent", "{ !has(.sending) && !(isInline", "{ !(isInline",
     "OrderRaceTests|OrderTests"),
    ("an inline handler overtakes those that have yet to run", " && !(isInline && has(.inlining))", "",
     "InlineTests|OrderTests|OrderRaceTests"),
    ("nobody knows that inline handlers have yet to run", "                isInlining = isInlining || queue.isInline\n",
     "", "InlineTests|OrderTests|OrderRaceTests"),
    ("nobody knows that the only inline handler has yet to run", "        if isInlining { state.set(.inlining) }\n", "",
     "InlineTests|OrderTests|OrderRaceTests"),
    ("inline handlers are waited for forever", "marks.subtract([.sending, .inlining])", "marks.remove(.sending)"),
    ("inline handlers run before the others are sent", "Trampoline.run(work)\nisInlining",
     "Trampoline.run(work, now: true)\nisInlining", "InlineTests|OrderTests"),
    # Not at once after it: another thread would have to come within a few nanoseconds.
    ("a handler is sent some time after unlocking", "        if queue.submits(work) { return unlock() }\n",
     """        if case .passing = queue {} else if !queue.isInline {
            unlock()
            for _ in 0..<2_000 { _ = withState { $0.phase } }
            return _ = queue.submits(work)
        }
""", "OrderRaceTests"),
    ("flags are ignored", "queue.async(flags: flags) {", "queue.async {"),
    ("a wait in a handler on the main queue hangs", "        pledge_set_handles(true)\n", "", "DeadlockTests"),
    ("a wait in a handler does not wait for its time limit", "if deadline == .distantFuture, DefaultQueue",
     "if DefaultQueue", "DeadlockTests|WaitTests"),
    ("a promise that was asked for its state is not reported", "look(handling: false) == false }", "look() == false }",
     "PromiseTests"),
    ("a script that failed ends well", "exit(1)", "exit(0)", "ScriptTests"),
    ("what follows a wait is no longer a step", "        defer { here = list }\n", "",
     "WaitTests|ReentryTests|InlineTests"),
    ("a cancel runs no hooks", "        return takeHooks()\n", "        return []\n", "CancelTests|AsyncTests"),
    ("hooks outlive their promise", "(state.takeSource(), state.takeHooks())", "(state.takeSource(), [Run]())",
     "NestedCancelTests|AsyncTests"),
    ("an error that a handler saw is reported", "        marks.insert(.observed)\n        if rare", "        if rare",
     "UnhandledErrorTests"),
    ("an error that was adopted is reported twice", "        inner.withState { $0.set(.observed) }\n", "",
     "ThenTests|ConfigurationTests|DescriptionTests|AsyncTests"),
    ("the errors of a join's losers are reported", "        for input in left { input.withState { $0.set(.observed) } }\n",
     "", "UnhandledErrorTests"),
    ("what follows a canceled promise doesn't wait for a cleanup further up", "return Unfinished(cleanup: self) }",
     "return Unfinished() }", "OrderTests|EnsureCancelTests"),
    ("what follows a join doesn't wait for its cleanup", "Unfinished(cleanup: .all(inputs.compactMap(\\.cleanup)), marks:",
     "Unfinished(marks:", "OrderTests|EnsureCancelTests"),
    ("a timeout waits for a cleanup", "waits ? source?.unfinished(below: end) ?? Unfinished() : Unfinished()",
     "source?.unfinished(below: end) ?? Unfinished()", "OrderTests"),
    ("a cleanup waits for a source that goes on", "Unfinished(marks: [.goesOn, .long])", "Unfinished()",
     "EnsureCancelTests"),
    ("a canceled guarantee rejects", "if hooks != nil, !state.has(.guarantee) { failure = error }",
     "if hooks != nil { failure = error }", "GuaranteeCancelTests"),
    ("a removed handler still counts", "        tally(former, -1)\n", "", "HandlerListTests|ClimbingTests"),
    ("a handler isn't found by its ticket", "entries[middle].ticket < ticket", "entries[middle].ticket <= ticket",
     "HandlerListTests|ClimbingTests"),
    ("a settled promise waits", "        guard phase == .pending else { return nil }\n        defer { self.source",
     "        defer { self.source", "PromiseStateTests|AdoptionRaceTests|LongLivedPromiseTests"),
    ("a long chain is released recursively", "Trampoline.run(consume parting)", "Work.run(consume parting)",
     "SleepingGuaranteeTests|OrderTests"),
    ("a loop of inline closures recurses", "here.pointee.depth >= 32", "here.pointee.depth == .max", "DepthTests"),
    ("the default queue stops after a turn", """            Work.run(consume work)
        }
        queue.async { self.drain() }
""", """            Work.run(consume work)
        }
""", "IndependenceTests|OrderTests|WaitTests|FIFOTests"),
    ("a full ring buffer grows out of order", "(0..<count).map { slots[slot($0)] }", "Array(slots)", "FIFOTests"),
    ("one promise too many is under way", "underway.count < limit", "underway.count <= limit", "WhenConcurrentlyTests"),
    ("a promise that has settled is under way forever", "if underway[index] != nil { underway[index] = isLate",
     "do { underway[index] = isLate", "WhenConcurrentlyTests|WhenConcurrentlyStopTests"),
    ("promises are created after an error has decided", "        isStopped = true\n", "",
     "WhenConcurrentlyStopTests|WhenConcurrentlyTests"),
    ("what is no longer wanted is begun, and not canceled", """                abandon(promise.storage)
                continue
""", "                continue\n", "WhenConcurrentlyStopTests|WhenConcurrentlyTests"),
    ("a retry makes one attempt too many", "number < attempts, !error", "number <= attempts, !error", "RetryTests"),
    ("the view of the main actor forgets the policy of a catch", "promise.catch(on: .main, policy: policy, isolated(body))",
     "promise.catch(on: .main, isolated(body))", "MainActorTests"),
    ("a timeout ignores an outcome in time", "if source.storage.isPending {\n                output",
     "do {\n                output", "TimeoutTests"),
]
