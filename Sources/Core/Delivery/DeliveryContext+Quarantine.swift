import APNs
import Postgres
import TimeZones

extension DeliveryContext {
    /// Writes refused devices into the quarantine: they get nothing on the lane until they register again.
    ///
    /// Retries transient errors and held rows until the stop's time is over. Any other error ends it at the third
    /// attempt. If nothing is written, Apple refuses the tokens again. Called on the sender's threads.
    ///
    /// - Parameter plans: a token's slot is its place among all their targets.
    func quarantine(_ tokens: [RefusedToken], of plans: [SendPlan], on lane: LaneIdentity, attemptedAt: Instant) {
        hand.errand { [self] in
            let now = clock.now ?? attemptedAt
            let devices = Self.devices(tokens, of: plans, on: lane, at: max(now, attemptedAt + 1))
            var attempt = 0
            while !hand.isAbandoned {
                do throws(PostgresError) {
                    let known = try await store.quarantine(devices, now: now).mapValues(Quarantine.init(json:))
                    // A device that works in the other environment is not in quarantine.
                    for device in devices where known[device.userID]?.hasMoved(device) != true {
                        onEvent(.quarantined(device))
                    }
                    return
                } catch {
                    attempt += 1
                    onEvent(.settlementFailed(error: error.description))
                    if !error.isTransient, !error.isHeldRow, attempt >= 3 { return }
                    try? await Task.sleep(for: .milliseconds(min(5000, 100 << min(attempt, 6))))
                }
            }
        }
    }

    private static func devices(
        _ refused: [RefusedToken],
        of plans: [SendPlan],
        on lane: LaneIdentity,
        at instant: Instant
    ) -> [RefusedDevice] {
        let reasons = Dictionary(refused.map { ($0.slot, $0.reason) }, uniquingKeysWith: { first, _ in first })
        let targets = plans.flatMap { plan in plan.nudges.flatMap(\.targets).map { (user: plan.userID, target: $0) } }
        return targets.enumerated().compactMap { slot, place -> RefusedDevice? in
            guard let reason = reasons[slot] else { return nil }
            return RefusedDevice(
                userID: place.user,
                deviceHash: place.target.hash,
                environment: lane.environment,
                topic: lane.topic,
                registration: place.target.device.registration,
                at: instant,
                reason: reason
            )
        }
    }
}
