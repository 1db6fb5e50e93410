/// The demo's checks at the end of the day.
struct DayCheck: Sendable, Equatable {
    let agreement: Agreement
    /// Pushes in their recipients' own quiet hours.
    let woken: Int
    /// Nudges that reached a device more than once, by the simulator's log.
    let repeated: Int
    /// Tokens that were deleted though they are not stale, and stale ones that were pushed to and are still there.
    let wrongTokens: Int

    var holds: Bool { agreement.holds && woken == 0 && repeated == 0 && wrongTokens == 0 }

    /// - Parameters:
    ///   - askedOf: tokens that got any request, whatever the answer.
    ///   - tokensLeft: the tokens that are still in the app's table.
    init(
        agreement: Agreement,
        hours: LocalHours,
        pushes: [PushLog],
        devices: [String: DemoDevice],
        askedOf: Set<String>,
        tokensLeft: Set<String>
    ) {
        self.agreement = agreement
        woken = hours.woken
        var nudges: Set<String> = []
        repeated = pushes.count { !nudges.insert("\($0.token) \($0.collapseID ?? "")").inserted }
        wrongTokens = devices.values.count { device in
            let isToStay = !(device.isStale && askedOf.contains(device.token))
            return isToStay != tokensLeft.contains(device.token)
        }
    }

    /// One line for each check, except the agreement.
    func lines(pushes: Int) -> [String] {
        [
            woken == 0
                ? "nobody was woken: none of \(Columns.count(pushes, "push", "pushes")) came in its "
                    + "recipient's quiet hours"
                : "WOKEN: \(Columns.grouped(woken)) of \(Columns.count(pushes, "push", "pushes")) came in quiet hours",
            repeated == 0
                ? "no check-in reached a device twice"
                : "TWICE: \(Columns.count(repeated, "check-in", "check-ins")) reached a device more than once",
            wrongTokens == 0
                ? "every stale token that was pushed to was deleted, and no other token"
                : "WRONG: \(Columns.count(wrongTokens, "token", "tokens")) deleted though valid, or kept though stale",
        ]
    }
}
