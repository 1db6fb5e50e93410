/// What one connection of the simulated Apple has said of its streams, so that it keeps its word.
///
/// Requests are read in whole batches: at the moment of a GOAWAY, streams above its last one may have been taken already, and more
/// may be read before it is written. An honest server then goes away above the first, and takes none of the second.
struct StreamWords {
    /// The highest stream that was taken or answered.
    private var highest: Int32 = 0
    /// GOAWAY's last stream; above it nothing is processed.
    private var last: Int32?

    /// Whether a stream may still be processed; it then counts as processed.
    mutating func process(_ stream: Int32) -> Bool {
        if let last, stream > last { return false }
        highest = max(highest, stream)
        return true
    }

    /// Whether GOAWAY can be said at this stream, which then is the last one or the first that is not processed.
    mutating func goAway(at stream: Int32, processesThis: Bool) -> Bool {
        guard last == nil, stream > highest else { return false }
        if processesThis { highest = stream }
        // Streams of clients are odd: two less is the one before.
        last = processesThis ? stream : max(0, stream - 2)
        return true
    }
}
