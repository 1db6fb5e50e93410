/// What one connection of the simulated Apple has promised about its streams.
///
/// Requests are read in batches. At a GOAWAY, streams above its last stream may already be accepted, and more may be
/// read before it is written. So GOAWAY names only streams above the highest accepted one, and later ones are not
/// processed.
struct StreamAnnouncements {
    /// The highest stream that was processed.
    private var highest: Int32 = 0
    /// GOAWAY's last stream. Streams above it are not processed.
    private var last: Int32?

    /// Whether a stream may be processed. If so, it counts as processed.
    mutating func process(_ stream: Int32) -> Bool {
        if let last, stream > last { return false }
        highest = max(highest, stream)
        return true
    }

    /// Whether GOAWAY can be sent at this stream. It becomes the last one that is processed, or the first one that is
    /// not.
    mutating func goAway(at stream: Int32, processesThis: Bool) -> Bool {
        guard last == nil, stream > highest else { return false }
        if processesThis { highest = stream }
        // Client streams have odd numbers, so the one before is two less.
        last = processesThis ? stream : max(0, stream - 2)
        return true
    }
}
