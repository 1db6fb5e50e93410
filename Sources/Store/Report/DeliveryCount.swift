/// How many rows of the record say the same, in one stretch of time.
package struct DeliveryCount: Sendable, Equatable {
    /// Which stretch: its beginning is so many of its lengths after 1970.
    package var stretch: Int64
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    /// What became of them.
    package var outcome: DeliveryRecord.Outcome
    /// A word of Apple's or ours; empty: none; `other`: not one that is shown.
    package var reason: String
    /// Apple answered 410: the token was deleted, unless the device had registered anew since.
    package var isGone: Bool
    /// Rows.
    package var count: Int

    package init(
        stretch: Int64,
        kind: String,
        outcome: DeliveryRecord.Outcome,
        reason: String = "",
        isGone: Bool = false,
        count: Int
    ) {
        self.stretch = stretch
        self.kind = kind
        self.outcome = outcome
        self.reason = reason
        self.isGone = isGone
        self.count = count
    }
}
