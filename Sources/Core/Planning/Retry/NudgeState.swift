import Policy
import TimeZones

/// The state of a nudge, which may go to several devices. Check-ins, messages and reminders share these states.
/// `RetryRules` holds the differences.
///
/// The row keeps what is left of a nudge (`Retry`). A nudge without one is `new`. `NudgeOutcomes` leads to the next
/// state.
enum NudgeState {
    /// There was no earlier attempt. → `unanswered` or `answered`, by its first outcomes; ended if every device was
    /// rejected.
    case new
    /// It was tried, but no device was answered, so it does not count. The policy is evaluated again; only the back-off
    /// is kept. → `answered`; `new`, when its devices are removed; `refused`; `paused`; ended by the policy's answer.
    case unanswered(Retry, RemainingDevices)
    /// A device was answered, or may have been, so it counts. The others follow under its first answer until that ends
    /// or something changes. Then they are evaluated without the nudge's own entry in the history. → `gone`, `refused`,
    /// `paused`; ended when nothing is left, or by the policy's answer.
    case answered(Retry, RemainingDevices, countedAt: Instant)
    /// Its kind is paused while its answer holds. → `unanswered` or `answered`, after a resume or when its answer ends.
    case paused(Retry)
    /// Apple refused its last devices, by quarantine. → ended. Without this state, a check-in's slot would be due
    /// again.
    case refused(Retry)
    /// It counts, and its remaining devices are no longer registered. → ended.
    case gone(Retry)

    /// The state by the row and the devices that are registered now.
    ///
    /// - Parameter retry: without devices that were refused since. nil: nothing is left.
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
            // If all devices are new, the back-off of the old ones does not apply.
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
