/// The difference between another machine's clock and ours.
struct ClockSkew: Sendable, Equatable {
    /// Microseconds by which the other clock is ahead, in the middle of the request's round trip.
    let ahead: Int64
    /// The largest error of `ahead`, in microseconds.
    let margin: Int64

    /// NTP keeps clocks within milliseconds. Two seconds mean that one clock is not synchronised.
    private static let most: Int64 = 2_000_000
    /// A provider token is used for up to 55 of the 60 minutes for which Apple accepts it. That leaves five minutes.
    private static let far: Int64 = 300_000_000

    /// The least difference that is certain.
    private var sure: Int64 { max(0, Int64(clamping: ahead.magnitude) - margin) }

    /// - Parameter whose: the clock's owner, such as "the database's".
    func finding(_ place: Finding.Place, whose: String) -> Finding {
        let text = "\(whose) clock is \(Self.seconds(ahead)) s \(ahead < 0 ? "behind" : "ahead of") this machine's"
        let remedy = "find out which clock is wrong, and let NTP set it (timedatectl set-ntp true)"
        if sure > Self.far { return place.error(text, remedy: remedy, .configuration) }
        if sure > Self.most { return place.warning(text, remedy: remedy) }
        return place.ok("\(whose) clock and this machine's differ by \(Self.seconds(ahead)) s")
    }

    /// `0.02`, `125.30`.
    private static func seconds(_ microseconds: Int64) -> String {
        let hundredths = Int64(clamping: microseconds.magnitude) / 10_000
        return "\(hundredths / 100).\(InstantText.two(Int(hundredths % 100)))"
    }
}
