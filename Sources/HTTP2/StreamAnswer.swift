/// What is kept of an answer besides its status. Most answers need none.
///
/// Not Sendable: the connection's thread alone uses it.
final class StreamAnswer {
    var headers = HeaderFields()
    var body: [UInt8] = []
}
