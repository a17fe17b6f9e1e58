import Foundation

/// The files that this process may have open.
package enum OpenFiles {
    #if canImport(Glibc)
        package static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        package static let kind = RLIMIT_NOFILE
    #endif

    /// The most, after raising the limit as far as 10,240: shells on macOS set 256.
    package static var most: Int {
        var limit = rlimit()
        getrlimit(kind, &limit)
        var raised = limit
        raised.rlim_cur = min(limit.rlim_max, 10_240)
        if limit.rlim_cur < raised.rlim_cur, setrlimit(kind, &raised) == 0 { limit = raised }
        return Int(clamping: limit.rlim_cur)
    }
}
