import APNsSimulator
import Synchronization

/// The simulated Apple's log of accepted pushes: token, apns-id and the instant in milliseconds.
final class TakenPushes: Sendable {
    private let pushes = Mutex<[Books.Accepted]>([])

    func add(_ push: AcceptedPush) {
        let at = WallClock.milliseconds()
        let id = push.apnsID.uuidString.lowercased()
        pushes.withLock { $0.append(Books.Accepted(token: push.token.lowercased(), apnsID: id, at: at)) }
    }

    var all: [Books.Accepted] { pushes.withLock { $0 } }
    var count: Int { pushes.withLock { $0.count } }

    /// When the first push after an instant was accepted.
    func first(after instant: Int64) -> Int64? { pushes.withLock { $0.first { $0.at > instant }?.at } }
}
