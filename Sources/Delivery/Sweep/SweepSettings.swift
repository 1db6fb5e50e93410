/// What the sweep takes from the configuration.
package struct SweepSettings: Sendable, Equatable {
    /// Users a claim.
    package var batch: Int
    /// Milliseconds that a lease lasts.
    package var leaseMilliseconds: Int64
    /// Milliseconds from writing a push to giving up its answer.
    package var responseMilliseconds: Int64
    /// The most open intents, in pushes.
    package var maxInFlight: Int
    /// The payload of a check-in's configured words, for everyone whose check-in has no others.
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

    /// Between the last instant to write a push and the end of its lease lies a response deadline and this margin.
    static let marginMilliseconds: Int64 = 1000
}
