import Glibc
import NudgedPreferences
import Policy
import Synchronization

/// Parsed preferences by their text. Few texts differ, and reading JSON is the costliest part of a decision.
final class PreferencesCache: Sendable {
    private let known = Mutex<[ExactText: Preferences]>([:])

    /// With more entries the cache is emptied. This many take a few megabytes.
    private static let limit = 4096
    /// Longer texts are rare and not kept.
    private static let longest = 1024

    func parsed(_ text: String?) -> Preferences {
        guard let text, text.utf8.count <= Self.longest else { return Preferences(parsing: text) }
        let key = ExactText(text)
        if let found = known.withLock({ $0[key] }) { return found }
        let parsed = Preferences(parsing: text)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = parsed
        }
        return parsed
    }
}

/// A text that equals another only if their UTF-8 bytes are the same, as in SQL. Swift's `String` compares by
/// canonical equivalence: `caf\u{E9}` and `cafe\u{301}` would be one collapse key, one subject, one topic. For texts of
/// the app or of users, wherever they are compared.
struct ExactText: Sendable, Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ExactText, right: ExactText) -> Bool {
        // Often both are the same string in memory: then no byte is read.
        typealias Raw = (UInt64, UInt64)
        if unsafeBitCast(left, to: Raw.self) == unsafeBitCast(right, to: Raw.self) { return true }
        guard left.text.utf8.count == right.text.utf8.count else { return false }
        return left.bytes { one in
            right.bytes { other in
                guard let first = one.baseAddress, let second = other.baseAddress else { return one.isEmpty }
                return memcmp(first, second, one.count) == 0
            }
        }
    }

    func hash(into hasher: inout Hasher) { bytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) } }

    private func bytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        var copy = text
        return copy.withUTF8(body)
    }
}
