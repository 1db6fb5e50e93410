import OpenSSL
import Locks

/// The provider tokens of one key: the schedule, and the texts that it calls for. Each lane has its own (docs/ARCHITECTURE.md, "Lanes").
final class ProviderTokenSource: Sendable {
    private struct Held {
        var schedule: ProviderTokenSchedule
        /// Texts by the token's number: the newest, and the few that connections still hold.
        var texts: [Int: String] = [:]
    }

    let keyID: String
    private let teamID: String
    private let key: P256SigningKey
    private let held: Mutex<Held>

    init(teamID: String, keyID: String, pem: String, after last: Int = 0) throws(APNsError) {
        self.teamID = teamID
        self.keyID = keyID
        held = Mutex(Held(schedule: ProviderTokenSchedule(after: last)))
        do {
            key = try P256SigningKey(pem: pem)
        } catch {
            throw .unsignedToken(cause: error.description)
        }
    }

    /// Lets a state machine ask the schedule while no other lane does.
    func withSchedule<Result>(_ body: (inout ProviderTokenSchedule) -> Result) -> Result {
        held.withLock { body(&$0.schedule) }
    }

    /// The token's text, signed when first asked for; `isNew` says that it was signed just now.
    func text(of token: ProviderTokenSchedule.Minted) throws(APNsError) -> (text: String, isNew: Bool) {
        let outcome: Swift.Result<(text: String, isNew: Bool), APNsError> = held.withLock { held in
            if let text = held.texts[token.number] { return .success((text, false)) }
            do throws(APNsError) {
                let made = try ProviderToken(teamID: teamID, keyID: keyID, issuedAt: token.issuedAt, key: key)
                held.texts[token.number] = made.text
                // No connection shows a token that is eight tokens old: each lives for at least half an hour.
                held.texts[token.number - 8] = nil
                return .success((made.text, true))
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
