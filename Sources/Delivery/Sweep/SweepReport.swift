package import Planning

/// What a sweep did: counts of users, pushes and tokens. The one place where they are counted: the journal's line, `nudged status` and the metrics tell these.
package struct SweepReport: Sendable, Equatable {
    /// Users claimed and planned.
    package var users = 0
    /// What was written into the record.
    package var record = RecordTally()
    /// Pushes that were not written: they are asked again.
    package var unsent = 0
    /// Tokens deleted after a 410.
    package var tokensDeleted = 0
    /// Users to whom nothing was sent, by the policy's reason, `timezone_unreadable` where it could not be asked, and
    /// `declined` where the decision service, or a fallback, was against all of it.
    package var resting: [String: Int] = [:]
    /// Users to whom the policy lets something be sent now.
    package var sending = 0
    /// Nudges that the decision service, or a fallback in its place, was heard about.
    package var verdicts: [DecisionVerdict.Kind: Int] = [:]
    /// Users whose intent did not hold, since something about them changed: they are asked again.
    package var changed = 0
    /// Pushes of a daemon that died, recorded as unknown.
    package var recovered = 0
    /// Settlements that came too late: another daemon had recorded them as unknown.
    package var fenced = 0
    /// Milliseconds from the first query to the last.
    package var milliseconds: Int64 = 0
    /// Whether it went through to its end, on a schema that this version can work with, while at least one lane takes pushes. Of several, the last one.
    package var isGood = false

    /// Pushes that Apple accepted.
    package var sent: Int { record.count(.accepted) }
    /// Pushes that are final without being delivered.
    package var rejected: Int { record.count(.rejected) }
    /// Pushes to come back to later.
    package var deferred: Int { record.count(.deferred) }
    /// Pushes written without an answer.
    package var unknown: Int { record.count(.unknown) }
    /// Slots and devices that went by unsent.
    package var skipped: Int { record.count(.skipped) }
    /// Messages that ended without a push.
    package var dropped: Int { record.count(.dropped) }

    /// Stands for a reason in `resting`.
    package static let zonesUnread = "timezone_unreadable"
    /// The same.
    static let declined = SendPlan.declinedReason

    /// Nothing done yet.
    package init() {}

    /// Whether a line in the journal is worth its place.
    package var isWorthALine: Bool {
        sent + rejected + deferred + unknown + skipped + dropped + tokensDeleted + recovered + fenced > 0
    }

    /// In one line, without zeros but for what was sent.
    package var words: String {
        var words = ["sent \(sent)"]
        for (count, word) in [
            (rejected, "rejected"), (deferred, "deferred"), (unknown, "unknown"), (skipped, "skipped"),
            (dropped, "dropped"), (tokensDeleted, "tokens deleted"), (recovered, "recovered as unknown"),
        ] where count > 0 { words.append("\(word) \(count)") }
        return words.joined(separator: ", ") + " of \(users) users in \(milliseconds) ms"
    }

    /// Grows with everything that was done; not with pushes that could not be written.
    package var progress: Int {
        sent + rejected + deferred + unknown + skipped + dropped + recovered + fenced + resting.values.reduce(0, +)
    }

    /// One JSON object.
    package var json: String {
        let reasons = resting.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }
        return
            #"{"users":\#(users),"sent":\#(sent),"rejected":\#(rejected),"deferred":\#(deferred),"unknown":\#(unknown),"#
            + #""unsent":\#(unsent),"skipped":\#(skipped),"dropped":\#(dropped),"changed":\#(changed),"recovered":\#(recovered),"fenced":\#(fenced),"#
            + #""tokens_deleted":\#(tokensDeleted),"resting":{\#(reasons.joined(separator: ","))},"duration_ms":\#(milliseconds)}"#
    }

    package mutating func add(_ other: SweepReport) {
        users += other.users
        record.add(other.record)
        unsent += other.unsent
        tokensDeleted += other.tokensDeleted
        resting.merge(other.resting, uniquingKeysWith: +)
        sending += other.sending
        verdicts.merge(other.verdicts, uniquingKeysWith: +)
        changed += other.changed
        recovered += other.recovered
        fenced += other.fenced
        milliseconds += other.milliseconds
        isGood = other.isGood
    }
}
