/// What the day proved.
struct Verdict: Sendable, Equatable {
    let agreement: Agreement
    /// Pushes within their recipients' own quiet hours.
    let woken: Int
    /// Nudges that reached a device more than once, by the simulator's log alone.
    let repeated: Int
    /// Tokens that are gone though Apple never called them stale, and stale ones that were pushed to and are still there.
    let wrongTokens: Int

    var holds: Bool { agreement.holds && woken == 0 && repeated == 0 && wrongTokens == 0 }

    /// - Parameters:
    ///   - askedOf: tokens to which any request came, whatever the answer.
    ///   - tokensLeft: what the app's table still holds.
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

    /// One line for each thing but the last.
    func lines(pushes: Int) -> [String] {
        [
            woken == 0
                ? "nobody was woken: none of \(Columns.count(pushes, "push", "pushes")) came within its recipient's own quiet hours"
                : "WOKEN: \(Columns.grouped(woken)) of \(Columns.count(pushes, "push", "pushes")) came within the quiet hours",
            repeated == 0
                ? "no check-in reached a device twice" : "TWICE: \(Columns.count(repeated, "check-in", "check-ins"))",
            wrongTokens == 0
                ? "every token that was deleted was stale, and every stale one that was sent to is deleted"
                : "WRONG: \(Columns.count(wrongTokens, "token", "tokens")) deleted that lives, or kept that is stale",
        ]
    }
}
