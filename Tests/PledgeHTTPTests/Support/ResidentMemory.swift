#if os(Linux)
    import Foundation

    /// The resident memory of this process in bytes, as reported by the kernel.
    enum ResidentMemory {
        static var now: Int { kilobytes("VmRSS:") << 10 }

        /// The maximum since the last call to `forgetPeak`.
        static var peak: Int { kilobytes("VmHWM:") << 10 }

        static func forgetPeak() {
            guard let file = fopen("/proc/self/clear_refs", "w") else { return }
            fputs("5", file)
            fclose(file)
        }

        private static func kilobytes(_ name: String) -> Int {
            let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
    }
#endif
