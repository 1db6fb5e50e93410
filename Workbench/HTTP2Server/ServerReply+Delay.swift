extension ServerReply {
    /// How long to wait before it is sent; nil for no wait.
    var delay: Duration? {
        switch self {
        case .respond(_, _, _, let after), .unfinished(_, _, _, let after), .reset(_, let after): after
        case .informational(_, let then): then.delay
        case .silence: nil
        }
    }
}
