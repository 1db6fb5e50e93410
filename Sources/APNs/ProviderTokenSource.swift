import OpenSSL
import Base

/// The provider tokens of one lane: the schedule, and the signed texts.
final class ProviderTokenSource: Sendable {
    private struct Held {
        var schedule: ProviderTokenSchedule
        /// Texts by the token's number: the newest, and those that connections still use.
        var texts: [Int: String] = [:]
    }

    let keyID: String
    private let teamID: String
    private let key: P256SigningKey
    private let held: Mutex<Held>

    init(teamID: String, keyID: String, key: P256SigningKey, after last: Int = 0) {
        self.teamID = teamID
        self.keyID = keyID
        self.key = key
        held = Mutex(Held(schedule: ProviderTokenSchedule(after: last)))
    }

    /// Runs `body` on the schedule, under the lock.
    func withSchedule<Result>(_ body: (inout ProviderTokenSchedule) -> Result) -> Result {
        held.withLock { body(&$0.schedule) }
    }

    /// The token's text, signed at the first call. `isNew`: this call signed it.
    func text(of token: ProviderTokenSchedule.Minted) throws(APNsError) -> (text: String, isNew: Bool) {
        let outcome: Swift.Result<(text: String, isNew: Bool), APNsError> = held.withLock { held in
            if let text = held.texts[token.number] { return .success((text, false)) }
            do throws(APNsError) {
                let made = try ProviderToken(teamID: teamID, keyID: keyID, issuedAt: token.issuedAt, key: key)
                held.texts[token.number] = made.text
                // Connections use only the last few tokens, so eight are enough.
                held.texts[token.number - 8] = nil
                return .success((made.text, true))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
