/// How a client connects and what it bears.
public struct HTTPClientSettings: Sendable, Equatable {
    /// A PEM file whose certificates are trusted in place of the system's; nil: the system's.
    public var caFile: String?
    /// Calls that run at a time, at least 1; as many connections are kept. Default 8.
    public var concurrency: Int
    /// Calls that wait beyond those; one more is refused. Default 64.
    public var queueLength: Int
    /// For a whole call, from `send` to its answer, its wait for others included. Default 2 s.
    public var deadline: Duration
    /// Bytes of an answer, fields and body together. Default 65,536.
    public var maximumAnswer: Int
    /// Whether `https_proxy` and its kin count (libcurl-env(3)). Default no: a service's environment is no place to redirect a token by.
    public var usesProxyOfEnvironment: Bool
    /// Whom the client says that it is.
    public var userAgent: String

    /// Settings with the defaults.
    public init() {
        concurrency = 8
        queueLength = 64
        deadline = .seconds(2)
        maximumAnswer = 65_536
        usesProxyOfEnvironment = false
        userAgent = "nudged"
    }
}
