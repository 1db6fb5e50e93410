import Glibc
import Systemd
import TimeZones

extension Reporter {
    /// What a reading of the zone files came to. Without any nobody has a local time, and nobody is sent anything.
    func zonesAre(_ reading: ZoneDatabase.Reading, in directory: String) {
        if let first = reading.failures.first {
            say(
                .timezoneUnreadable,
                about: "files",
                "\(reading.failures.count) time-zone files or folders can't be read (\(first.cause)): what was read of them before stays, "
                    + "users of the others wait; \(Self.mend(first)), and reload",
                ["unread": "\(reading.failures.count)", "errno": "\(first.number.map(String.init) ?? "none")"]
            )
        } else if reading.count == 0 {
            say(
                .timezonesMissing,
                "there are no time-zone files in \(directory): install tzdata (apt-get install tzdata) or mend TZDIR, and reload"
            )
        }
    }

    /// Each batch meets it again.
    func zonesUnread(_ error: TimeZoneError, users: Int) {
        let kind = error.number.map(String.init) ?? "none"
        say(
            .timezoneUnreadable,
            about: kind,
            "a time-zone file can't be read (\(error.cause)): \(users) users wait as they are and are asked again each minute; \(Self.mend(error))",
            ["users": "\(users)", "errno": "\(kind)"]
        )
    }

    private static func mend(_ error: TimeZoneError) -> String {
        switch error.number {
        case EMFILE: "raise LimitNOFILE in the unit"
        case ENFILE: "raise fs.file-max"
        case EACCES, EPERM: "let the daemon's user read it"
        case ENOMEM: "give the machine memory"
        default: "look at the disk, or reinstall tzdata"
        }
    }
}
