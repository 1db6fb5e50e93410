import APNsSimulator
import Synchronization

/// The simulated Apple's log of accepted pushes: token, apns-id and the instant in milliseconds.
final class TakenPushes: Sendable {
    private let pushes = Mutex<[(push: Books.Accepted, machine: Int64)]>([])

    func add(_ push: AcceptedPush) {
        let moment = Moment.now
        let id = push.apnsID.uuidString.lowercased()
        let accepted = Books.Accepted(token: push.token.lowercased(), apnsID: id, at: moment.at)
        pushes.withLock { $0.append((accepted, moment.machine)) }
    }

    var all: [Books.Accepted] { timed.map(\.push) }
    /// With milliseconds of machine time.
    var timed: [(push: Books.Accepted, machine: Int64)] { pushes.withLock { $0 } }
    var count: Int { pushes.withLock { $0.count } }

    /// When the first push after an instant was accepted.
    func first(after instant: Int64) -> Int64? { pushes.withLock { $0.first { $0.push.at > instant }?.push.at } }
}
