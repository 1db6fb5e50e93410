/// How far another machine's clock is from ours.
struct ClockSkew: Sendable, Equatable {
    /// Microseconds by which the other is ahead, at the middle of the question's trip.
    let ahead: Int64
    /// Microseconds by which that may be wrong.
    let margin: Int64

    /// Clocks that are set by NTP differ by milliseconds; two seconds nobody has by chance.
    private static let most: Int64 = 2_000_000
    /// A provider token is shown for up to 55 of the 60 minutes that Apple takes it.
    private static let far: Int64 = 300_000_000

    /// What is surely between the two.
    private var sure: Int64 { max(0, Int64(clamping: ahead.magnitude) - margin) }

    /// - Parameter whose: clock it is, as "the database's".
    func finding(_ place: Finding.Place, whose: String) -> Finding {
        let words = "\(whose) clock is \(Self.seconds(ahead)) s \(ahead < 0 ? "behind" : "ahead of") this machine's"
        let mend = "let both be set by NTP (timedatectl set-ntp true), and look which of them is wrong"
        if sure > Self.far { return place.error(words, mend: mend, .configuration) }
        if sure > Self.most { return place.warning(words, mend: mend) }
        return place.ok("\(whose) clock and this machine's differ by \(Self.seconds(ahead)) s")
    }

    /// `0.02`, `125.30`.
    private static func seconds(_ microseconds: Int64) -> String {
        let hundredths = Int64(clamping: microseconds.magnitude) / 10_000
        return "\(hundredths / 100).\(InstantText.two(Int(hundredths % 100)))"
    }
}
