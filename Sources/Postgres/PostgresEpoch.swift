/// PostgreSQL counts from 2000-01-01, the callers of this module from 1970-01-01. Infinities keep their extreme values.
enum PostgresEpoch {
    /// Microseconds from 1970-01-01 to 2000-01-01 (10,957 days).
    static let microseconds: Int64 = 946_684_800_000_000
    /// Days from 1970-01-01 to 2000-01-01.
    static let days: Int32 = 10_957

    /// Nil if PostgreSQL can't express the instant.
    static func toServer(microseconds unix: Int64) -> Int64? {
        if unix == .max || unix == .min { return unix }
        let (value, overflow) = unix.subtractingReportingOverflow(microseconds)
        return overflow ? nil : value
    }

    /// Nil for years after 294246. PostgreSQL has them, but Unix microseconds in 64 bits don't.
    static func fromServer(microseconds server: Int64) -> Int64? {
        if server == .max || server == .min { return server }
        let (value, overflow) = server.addingReportingOverflow(microseconds)
        return overflow ? nil : value
    }

    static func toServer(days unix: Int32) -> Int32? {
        if unix == .max || unix == .min { return unix }
        let (value, overflow) = unix.subtractingReportingOverflow(days)
        return overflow ? nil : value
    }

    static func fromServer(days server: Int32) -> Int32? {
        if server == .max || server == .min { return server }
        let (value, overflow) = server.addingReportingOverflow(days)
        return overflow ? nil : value
    }
}
