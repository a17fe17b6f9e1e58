import Foundation
@_spi(PromiseKit) import PledgePromiseKit

// Runs every topic, and compares the value of its promise with the expected value.

var topics: [(name: String, promise: Promise<String>, expected: String)] = [
    ("ReadmeChain", readmeChain(), "place 5, still"),
    ("ReadmeChainOnMainActor", readmeChainOnMainActor(), "place 5, still"),
    ("RetryWithDelay", retryWithDelay(), "after 3 calls"),
    ("Timeouts", timeouts(), "0, in time"),
    ("Lists", lists(), "Hello, Ada; B; 2; Ada; [1, 4, 9]"),
    ("CancellableErrors", cancellableErrors(), "skipped by recover, dismissed"),
    ("ThrottledWhen", throttledWhen(), "[1, 2, 3], and 1 of the others"),
    ("WrappedDelegate", wrappedDelegate(), "found here"),
    ("WrappedCallbacks", wrappedCallbacks(), #"["file", "other"] [2, 3, 6, -1]"#),
    ("OneAfterAnother", oneAfterAnother(), "[0, 1, 2] [0, 0, 0]"),
    ("PreviousResults", previousResults(), "the same: ada: 3"),
    ("WhateverTheOutcome", whateverTheOutcome(), "1 of 2, true"),
    ("Recovery", recovery(), "[1, 2, 3, 4, 5, 6]"),
    ("HandlersAsValues", handlersAsValues(), "23"),
]
#if !swift(>=6)
    topics += [
        ("BackgroundWork", backgroundWork(), #"2 ["at once main", "then main", "map work", "get main"]"#),
        (
            "ErrorsAndLog", errorsAndLog(),
            #"["input", "no winner", "empty", "convention", "no Int", "cancelled"] ["guarantee", "promise", "input"]"#
        ),
    ]
#endif

var failures = 0
for topic in topics {
    do {
        let text = try hang(topic.promise)
        guard text != topic.expected else { continue }
        print("\(topic.name): “\(text)” instead of “\(topic.expected)”")
    } catch {
        print("\(topic.name): \(error)")
    }
    failures += 1
}
print("\(topics.count - failures) of \(topics.count) topics do what they did.")
exit(failures > 0 ? 1 : 0)
