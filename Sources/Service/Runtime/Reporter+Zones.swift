import Glibc
import Systemd
import TimeZones

extension Reporter {
    /// Reports a failed or empty reading of the zone files. Without zones nobody has a local time, and nobody gets
    /// anything.
    func zonesAre(_ reading: ZoneDatabase.Reading, in directory: String) {
        if let first = reading.failures.first {
            say(
                .timezoneUnreadable,
                about: "files",
                "\(Elapsed.counted(reading.failures.count, "time-zone file or folder", "time-zone files or folders")) "
                    + "can't be read (\(first.cause)): "
                    + "zones that were read before stay in use, users of other zones wait; "
                    + "\(Self.remedy(first)), and reload nudged",
                ["unread": "\(reading.failures.count)", "errno": "\(first.number.map(String.init) ?? "none")"]
            )
        } else if reading.count == 0 {
            say(
                .timezonesMissing,
                "there are no time-zone files in \(directory): install tzdata (apt-get install tzdata) "
                    + "or correct TZDIR, and reload nudged"
            )
        }
    }

    /// Called for each batch. The event's definition limits the lines.
    func zonesUnread(_ error: TimeZoneError, users: Int) {
        let kind = error.number.map(String.init) ?? "none"
        say(
            .timezoneUnreadable,
            about: kind,
            "a time-zone file can't be read (\(error.cause)): \(Elapsed.counted(users, "user waits", "users wait")) "
                + "and will be evaluated again within a minute; \(Self.remedy(error))",
            ["users": "\(users)", "errno": "\(kind)"]
        )
    }

    private static func remedy(_ error: TimeZoneError) -> String {
        switch error.number {
        case EMFILE: "raise LimitNOFILE in the unit"
        case ENFILE: "raise fs.file-max"
        case EACCES, EPERM: "let the daemon's user read it"
        case ENOMEM: "give the machine more memory"
        default: "check the disk, or reinstall tzdata"
        }
    }
}
