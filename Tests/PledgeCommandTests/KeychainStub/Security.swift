// A stub of the few declarations of Apple's Security framework that the Keychain store uses. They have the same
// signatures as in the framework, and keep their items in an array.
import Foundation

public typealias CFString = String
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public let errSecSuccess: OSStatus = 0
public let errSecParam: OSStatus = -50
public let errSecDuplicateItem: OSStatus = -25299
public let errSecItemNotFound: OSStatus = -25300
public let errSecInteractionNotAllowed: OSStatus = -25308

public let kSecClass = "class"
public let kSecClassGenericPassword = "genp"
public let kSecAttrService = "svce"
public let kSecAttrAccount = "acct"
public let kSecAttrAccessible = "pdmn"
public let kSecAttrAccessibleAfterFirstUnlock = "ck"
public let kSecValueData = "v_Data"
public let kSecReturnData = "r_Data"
public let kSecReturnAttributes = "r_Attributes"
public let kSecMatchLimit = "m_Limit"
public let kSecMatchLimitOne = "m_LimitOne"
public let kSecMatchLimitAll = "m_LimitAll"

/// The stored items, and whether the Keychain is locked.
nonisolated(unsafe) public var items: [[String: Any]] = []
nonisolated(unsafe) public var isLocked = false
// Both variables are safe, because the program that uses the stub has only one thread.

private func matches(_ query: CFDictionary) -> [Int] {
    items.indices.filter { index in
        [kSecClass, kSecAttrService, kSecAttrAccount].allSatisfy { key in
            query[key] == nil || query[key] as? String == items[index][key] as? String
        }
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard !isLocked else { return errSecInteractionNotAllowed }
    let found = matches(query)
    guard let first = found.first else { return errSecItemNotFound }
    if query[kSecMatchLimit] as? String == kSecMatchLimitAll {
        // The framework refuses to return the data of several passwords at once.
        guard query[kSecReturnData] == nil else { return errSecParam }
        result?.pointee = found.map { items[$0].filter { $0.key != kSecValueData } } as AnyObject
    } else if query[kSecReturnData] as? Bool == true {
        result?.pointee = items[first][kSecValueData] as AnyObject
    }
    return errSecSuccess
}

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    guard !isLocked else { return errSecInteractionNotAllowed }
    guard matches(attributes).isEmpty else { return errSecDuplicateItem }
    items.append(attributes)
    return errSecSuccess
}

public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    guard !isLocked else { return errSecInteractionNotAllowed }
    let found = matches(query)
    for index in found { items[index].merge(attributesToUpdate) { $1 } }
    return found.isEmpty ? errSecItemNotFound : errSecSuccess
}

public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    guard !isLocked else { return errSecInteractionNotAllowed }
    let found = matches(query)
    for index in found.reversed() { items.remove(at: index) }
    return found.isEmpty ? errSecItemNotFound : errSecSuccess
}

public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
    "User interaction is not allowed."
}
