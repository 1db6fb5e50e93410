/// How a client connects, and its limits.
public struct HTTPClientSettings: Sendable, Equatable {
    /// A PEM file whose certificates are trusted instead of the system's. Nil: the system's.
    public var caFile: String?
    /// How many calls run at a time, at least 1. As many connections are kept. Default 8.
    public var concurrency: Int
    /// How many more calls may wait. Further calls are refused. Default 64.
    public var queueLength: Int
    /// The time for a whole call, from `send` to its answer, with its wait in the queue. Default 2 s.
    public var deadline: Duration
    /// The most bytes of an answer, fields and body together. Default 65,536.
    public var maximumAnswer: Int
    /// Whether `https_proxy` and similar variables are used (libcurl-env(3)). Default no: a service's environment must
    /// not redirect a token.
    public var usesProxyOfEnvironment: Bool
    /// The field `user-agent`.
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
