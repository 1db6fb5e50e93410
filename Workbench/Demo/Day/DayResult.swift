import Service

import struct FoundationEssentials.UUID

/// The result of the day, read after everything was stopped.
struct DayResult: Sendable {
    let total: HourLine
    let hours: LocalHours
    let agreement: Agreement
    let orders: OrderCheck
    /// Nudges that reached a device more than once, by the simulator's log.
    let repeated: Int
    /// Tokens that were deleted though they are not stale, and stale ones that were pushed to and are still there.
    let wrongTokens: Int
    let changes: Int
    let duration: Duration

    var holds: Bool { agreement.holds && hours.woken == 0 && repeated == 0 && wrongTokens == 0 && orders.wrong == 0 }

    var lines: [String] {
        let (woken, pushes) = (hours.woken, hours.sends.reduce(0, +))
        let texts = "of \(Elapsed.counted(pushes, "push", "pushes")) with a text came in quiet hours"
        return [
            woken == 0 ? "nobody was woken: none \(texts)" : "WOKEN: \(Elapsed.grouped(woken)) \(texts)",
            repeated == 0
                ? "no check-in reached a device twice"
                : "TWICE: \(Elapsed.counted(repeated, "check-in", "check-ins")) reached a device more than once",
            wrongTokens == 0
                ? "every stale token that was pushed to was deleted, and no other token"
                : "WRONG: \(Elapsed.counted(wrongTokens, "token", "tokens")) deleted though valid, or kept though "
                    + "stale",
        ] + orders.lines
    }
}

/// Compares the simulator's log with the record by apns-id, both ways.
struct Agreement: Sendable {
    let agreed: Int
    let missingInRecord: Int
    let missingAtApple: Int
    let twice: Int
    /// Apple accepted them, and the record says `unknown`. That is honest, so it is no disagreement.
    let unknown: Int

    init(accepted: [UUID], recorded: [UUID], unknown: [UUID]) {
        let atApple = Set(accepted)
        let inRecord = Set(recorded)
        agreed = atApple.intersection(inRecord).count
        let onlyAtApple = atApple.subtracting(inRecord)
        self.unknown = onlyAtApple.intersection(unknown).count
        missingInRecord = onlyAtApple.count - self.unknown
        missingAtApple = inRecord.subtracting(atApple).count
        twice = accepted.count - atApple.count + recorded.count - inRecord.count
    }

    var holds: Bool { missingInRecord == 0 && missingAtApple == 0 && twice == 0 }

    var text: String {
        let unknownText = unknown > 0 ? ", \(Elapsed.grouped(unknown)) of them recorded as unknown" : ""
        if holds {
            return
                "simulator and database agree: \(Elapsed.counted(agreed + unknown, "push", "pushes")) accepted"
                + "\(unknownText), none twice, none missing"
        }
        var faults: [String] = []
        if missingInRecord > 0 { faults.append("\(Elapsed.grouped(missingInRecord)) accepted but not in the database") }
        if missingAtApple > 0 { faults.append("\(Elapsed.grouped(missingAtApple)) in the database but never accepted") }
        if twice > 0 { faults.append("\(Elapsed.grouped(twice)) twice") }
        return "simulator and database DISAGREE: \(Elapsed.grouped(agreed)) in both\(unknownText), "
            + faults.joined(separator: ", ")
    }
}
