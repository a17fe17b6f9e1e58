import PledgeTestSupport
import Testing

@Suite("The places of tests")
struct MirrorTests {
    @Test("Tests that are named after a file of the sources lie where that file lies")
    func mirrored() {
        var homes: [Substring: Set<String>] = [:]
        for path in Repository.paths(below: "Sources", ending: ".swift") {
            var folders = path.split(separator: "/")
            let name = folders.removeLast().dropLast(".swift".count)
            homes[name, default: []].insert(([folders[0] + "Tests"] + folders.dropFirst()).joined(separator: "/"))
        }
        var count = 0
        for path in Repository.paths(below: "Tests", ending: "Tests.swift") where !path.hasPrefix("Benchmarks") {
            let folders = path.split(separator: "/")
            guard let expected = homes[folders[folders.count - 1].dropLast("Tests.swift".count)] else { continue }
            count += 1
            let folder = folders.dropLast().joined(separator: "/")
            #expect(expected.contains(folder), "\(path) belongs in \(expected.sorted())")
        }
        #expect(count > 80)
    }
}
