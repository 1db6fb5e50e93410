import Glibc
import NudgedKit
import Policy
import Synchronization

/// Parsed preferences by their text. There are few different texts, and reading JSON is the most expensive part of a
/// decision.
final class PreferencesCache: Sendable {
    /// Compared byte by byte: strings are equal by canonical equivalence, but such zone names differ.
    private struct Text: Hashable {
        let text: String

        static func == (left: Text, right: Text) -> Bool {
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

    private let known = Mutex<[Text: Preferences]>([:])

    /// With more entries the cache is emptied. This many take a few megabytes.
    private static let limit = 4096
    /// Longer texts are rare and not kept.
    private static let longest = 1024

    /// Parses the column's text for the policy.
    func parsed(_ text: String?) -> Preferences {
        guard let text, text.utf8.count <= Self.longest else { return Preferences(parsing: text) }
        let key = Text(text: text)
        if let found = known.withLock({ $0[key] }) { return found }
        let parsed = Preferences(parsing: text)
        known.withLock { known in
            if known.count >= Self.limit { known.removeAll() }
            known[key] = parsed
        }
        return parsed
    }
}
