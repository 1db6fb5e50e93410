import Policy
import Store
import TimeZones

/// Where a nudge stands that may go to several devices. Check-ins, messages and reminders share these states;
/// `RetryRules` holds what differs between them.
///
/// The row keeps what is left of a nudge (`Retry`); a nudge without one is `new`. Outcomes lead to the next state in
/// `NudgeOutcomes`.
enum NudgeState {
    /// Nothing is left of an earlier try. → `unanswered` or `answered`, by its first outcomes; ended where every device
    /// was rejected.
    case new
    /// It was tried and no device was answered, so it does not count. The policy is evaluated anew; only the back-off
    /// is remembered. → `answered`; `new`, once its devices are gone; `refused`; `paused`; ended by the policy's
    /// answer.
    case unanswered(Retry, RemainingDevices)
    /// A device was answered, or may have been, so it counts. The others go on under its first answer until that ends
    /// or something changes, and are then evaluated without the nudge's own entry in the history. → `gone`, `refused`,
    /// `paused`; ended once nothing is left, or by the policy's answer.
    case answered(Retry, RemainingDevices, countedAt: Instant)
    /// Its kind is paused while its answer holds. → `unanswered` or `answered`, after a resume or when its answer ends.
    case paused(Retry)
    /// Apple refused its last devices, by quarantine. → ended: without this, a check-in's slot would be due again.
    case refused(Retry)
    /// It counts, and the devices that were left are not registered any more. → ended.
    case gone(Retry)

    /// The state that the row says, for the devices that are registered now.
    ///
    /// - Parameter retry: without the devices that were refused since. nil: nothing is left.
    init(_ retry: Retry?, isRefused: Bool, of recipient: Recipient, now: Instant) {
        guard let retry else {
            self = .new
            return
        }
        guard !isRefused else {
            self = .refused(retry)
            return
        }
        let devices = recipient.devices.remaining(retry.left, now: now)
        if devices.isEmpty {
            // Devices that are all new since then owe nothing to the back-off of the old ones.
            self = retry.counts ? .gone(retry) : .new
        } else if recipient.isPaused(retry.identity.kind), !retry.isOver(at: now) {
            self = .paused(retry)
        } else if let countedAt = retry.countedAt {
            self = .answered(retry, devices, countedAt: countedAt)
        } else {
            self = .unanswered(retry, devices)
        }
    }
}

/// The devices that are left of a nudge and still registered.
struct RemainingDevices {
    /// They may be tried now.
    let due: [ServedDevice]
    /// They may be tried later.
    let waiting: [Retry.Left]

    var isEmpty: Bool { due.isEmpty && waiting.isEmpty }
}
