/// How many rows of the record are alike, in one stretch of time.
package struct DeliveryCount: Sendable, Equatable {
    /// The number of the stretch: it begins that many stretches after 1970.
    package var stretch: Int64
    /// `check_in`, `message`, `reminder`, or `other`.
    package var kind: String
    package var outcome: DeliveryRecord.Outcome
    /// Apple's reason, or nudged's; empty: none; `other`: one that is not shown.
    package var reason: String = ""
    /// Apple answered 410: the token was deleted, unless the device had registered again.
    package var isGone: Bool = false
    package var count: Int
}
