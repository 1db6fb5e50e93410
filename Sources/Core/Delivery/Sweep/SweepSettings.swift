/// The sweep's part of the configuration.
package struct SweepSettings: Sendable, Equatable {
    /// Users per claim.
    package var batch: Int
    /// How long a lease lasts without a renewal.
    package var leaseMilliseconds: Int64
    /// How long a push waits for its answer.
    package var responseMilliseconds: Int64
    /// The most pushes with open intents.
    package var maxInFlight: Int
    /// The payload of the configured check-in text, for everyone without another text.
    package var payload: [UInt8]

    package init(
        batch: Int,
        leaseMilliseconds: Int64,
        responseMilliseconds: Int64,
        maxInFlight: Int,
        payload: [UInt8]
    ) {
        self.batch = batch
        self.leaseMilliseconds = leaseMilliseconds
        self.responseMilliseconds = responseMilliseconds
        self.maxInFlight = maxInFlight
        self.payload = payload
    }

    /// The last write of a push is one response time-out and this margin before the lease's end.
    static let marginMilliseconds: Int64 = 1000
}
