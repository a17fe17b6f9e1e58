// Declarations of Apple's C library for `.ci/apple`: those that this package uses, and that Linux doesn't have or declares
// differently. They have the signatures of Apple's library, but do nothing.
import Foundation

public let F_FULLFSYNC: Int32 = 51
public let F_GETPATH: Int32 = 50
public let MAXPATHLEN: Int32 = 1024
public let POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 = 0x4000
public let RLIMIT_NOFILE: Int32 = 8
public let SOCK_STREAM: Int32 = 1
public let SO_NOSIGPIPE: Int32 = 0x1022

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public typealias FileActions = UnsafeMutablePointer<posix_spawn_file_actions_t?>
public typealias Attributes = UnsafeMutablePointer<posix_spawnattr_t?>

@discardableResult public func posix_spawn_file_actions_init(_: FileActions!) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_destroy(_: FileActions!) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_adddup2(_: FileActions!, _: Int32, _: Int32) -> Int32 { 0 }
@discardableResult public func posix_spawn_file_actions_addopen(
    _: FileActions!, _: Int32, _: UnsafePointer<CChar>!, _: Int32, _: mode_t
) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_init(_: Attributes!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_destroy(_: Attributes!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setsigmask(_: Attributes!, _: UnsafePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setsigdefault(_: Attributes!, _: UnsafePointer<sigset_t>!) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setpgroup(_: Attributes!, _: pid_t) -> Int32 { 0 }
@discardableResult public func posix_spawnattr_setflags(_: Attributes!, _: Int16) -> Int32 { 0 }
@discardableResult public func posix_spawnp(
    _: UnsafeMutablePointer<pid_t>!, _: UnsafePointer<CChar>!, _: UnsafePointer<posix_spawn_file_actions_t?>!,
    _: UnsafePointer<posix_spawnattr_t?>!, _: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
    _: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32 { 0 }

@discardableResult public func getrlimit(_: Int32, _: UnsafeMutablePointer<rlimit>!) -> Int32 { 0 }
@discardableResult public func setrlimit(_: Int32, _: UnsafePointer<rlimit>!) -> Int32 { 0 }
@discardableResult public func sysctlbyname(
    _: UnsafePointer<CChar>!, _: UnsafeMutableRawPointer!, _: UnsafeMutablePointer<Int>!, _: UnsafeMutableRawPointer!,
    _: Int
) -> Int32 { 0 }
