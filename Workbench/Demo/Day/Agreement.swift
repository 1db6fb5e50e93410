import struct FoundationEssentials.UUID

/// Compares the simulator's log with the record by apns-id, both ways.
struct Agreement: Sendable, Equatable {
    /// Pushes that are accepted in both.
    let agreed: Int
    /// Apple accepted them, but they are not in the record.
    let missingInRecord: Int
    /// Accepted in the record, but Apple never accepted them.
    let missingAtApple: Int
    /// Pushes that are in one of the two more than once.
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

    /// The demo's last line.
    var text: String {
        let unknownText = unknown > 0 ? ", \(Columns.grouped(unknown)) of them recorded as unknown" : ""
        if holds {
            return
                "simulator and database agree: \(Columns.count(agreed + unknown, "push", "pushes")) accepted"
                + "\(unknownText), none twice, none missing"
        }
        var faults: [String] = []
        if missingInRecord > 0 { faults.append("\(Columns.grouped(missingInRecord)) accepted but not in the database") }
        if missingAtApple > 0 { faults.append("\(Columns.grouped(missingAtApple)) in the database but never accepted") }
        if twice > 0 { faults.append("\(Columns.grouped(twice)) twice") }
        return "simulator and database DISAGREE: \(Columns.grouped(agreed)) in both\(unknownText), "
            + faults.joined(separator: ", ")
    }
}
