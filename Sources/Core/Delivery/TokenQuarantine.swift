import APNs
import Postgres
import TimeZones

/// Writes refused devices into the quarantine: they get nothing on the lane until they register again.
struct TokenQuarantine: Sendable {
    /// A push's slot is its place among all targets of these plans.
    let plans: [SendPlan]
    let lane: LaneIdentity
    let attemptedAt: Instant
    let delivery: DeliveryContext

    /// Retries transient errors and held rows until the stop's time is over. Any other error ends it at the third
    /// attempt. If nothing is written, Apple refuses the tokens again. Called on the sender's threads.
    func add(_ tokens: [RefusedToken]) {
        delivery.hand.errand {
            let now = delivery.clock.now ?? attemptedAt
            let devices = devices(tokens, at: max(now, attemptedAt + 1))
            var attempt = 0
            while !delivery.hand.isAbandoned {
                do throws(PostgresError) {
                    let known = try await delivery.store.quarantine(devices, now: now)
                        .mapValues(Quarantine.init(json:))
                    // A device that works in the other environment is not in quarantine.
                    for device in devices where known[device.userID]?.hasMoved(device) != true {
                        delivery.onEvent(.quarantined(device))
                    }
                    return
                } catch {
                    attempt += 1
                    delivery.onEvent(.settlementFailed(error: error.description))
                    if !error.isTransient, !error.isHeldRow, attempt >= 3 { return }
                    try? await Task.sleep(for: .milliseconds(min(5000, 100 << min(attempt, 6))))
                }
            }
        }
    }

    private func devices(_ refused: [RefusedToken], at instant: Instant) -> [RefusedDevice] {
        let reasons = Dictionary(refused.map { ($0.slot, $0.reason) }, uniquingKeysWith: { first, _ in first })
        var found: [RefusedDevice] = []
        var slot = 0
        for plan in plans {
            for target in plan.nudges.lazy.flatMap(\.targets) {
                defer { slot += 1 }
                guard let reason = reasons[slot] else { continue }
                found.append(
                    RefusedDevice(
                        userID: plan.userID,
                        deviceHash: target.hash,
                        environment: lane.environment,
                        topic: lane.topic,
                        registration: target.device.registration,
                        at: instant,
                        reason: reason
                    )
                )
            }
        }
        return found
    }
}
