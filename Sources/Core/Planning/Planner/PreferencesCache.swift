import NudgedPreferences
import Policy
import Synchronization

/// Parsed preferences by their text. There are few different texts, and reading JSON is the most expensive part of a
/// decision.
final class PreferencesCache: Sendable {
    private let known = Mutex<[ExactText: Preferences]>([:])

    /// With more entries the cache is emptied. This many take a few megabytes.
    private static let limit = 4096
    /// Longer texts are rare and not kept.
    private static let longest = 1024

    /// Parses the column's text for the policy.
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
