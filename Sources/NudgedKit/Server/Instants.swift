#if !hasFeature(Embedded)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import NudgedPreferences

    extension Date {
        /// Reads an instant as PostgreSQL writes it in JSON, such as `2026-11-24T09:00:00.25+01:00`, or RFC 3339. Of the
        /// years 1 to 9999: nudged takes no other.
        init?(instant text: String) {
            let rest = text.dropFirst(19)
            let offsets = rest.drop { !"+-".contains($0) }.dropFirst().split(separator: ":").map { UInt8($0) }
            guard !offsets.contains(nil), let second = UTCSecond("\(text.prefix(19))Z"),
                let zone = rest.firstIndex(where: { "+-Z".contains($0) }), zone == rest.startIndex || rest.first == ".",
                let fraction = zone == rest.startIndex ? 0 : Double("0\(rest[..<zone])")
            else { return nil }
            let offset = zip(offsets, [3600, 60, 1]).reduce(0) { $0 + Int64($1.0 ?? 0) * $1.1 }
            let seconds = rest[zone] == "-" ? second.seconds + offset : second.seconds - offset
            self.init(timeIntervalSince1970: Double(seconds) + fraction)
        }

        /// The first whole second that is not before this, as `YYYY-MM-DDTHH:MM:SSZ`. Within the years 1 to 9999.
        var instant: String {
            let range = UTCSecond.range
            let seconds = timeIntervalSince1970.rounded(.up)
            let isBefore = seconds < Double(range.lowerBound)
            let bound = isBefore ? range.lowerBound : range.upperBound
            // Also what is no number.
            let isInside = !isBefore && seconds <= Double(range.upperBound)
            return UTCSecond(seconds: isInside ? Int64(seconds) : bound)?.description ?? ""
        }
    }
#endif
