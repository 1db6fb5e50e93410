package import Seeded

package struct RandomRules {
    package var draw: SplitMix64

    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    package init(seed: UInt64) { draw = SplitMix64(seed: seed) }

    /// A rule that is right, its parts in random order and of either case.
    package mutating func rule() -> String {
        let frequency = draw.pick(["DAILY", "WEEKLY", "MONTHLY"])
        var parts = ["FREQ=\(frequency)"]
        if draw.chance(70) {
            parts.append("INTERVAL=\(draw.pick(["1", "2", "03", "5", "7", "12", "31", "100", "9999"]))")
        }
        if draw.chance(60) { parts.append("BYDAY=" + days(isNumbered: frequency == "MONTHLY")) }
        if frequency != "WEEKLY", draw.chance(40) { parts.append("BYMONTHDAY=" + monthDays()) }
        if draw.chance(25) {
            parts.append("COUNT=\(draw.int(1...20))")
        } else if draw.chance(33) {
            let date = "20\(draw.int(26...40))\(draw.pick(["0228", "0301", "1231"]))"
            parts.append("UNTIL=\(date)\(draw.pick(["", "T093000", "T235959Z"]))")
        }
        if draw.chance(40) { parts.append("WKST=\(draw.pick(Self.weekdays))") }
        parts.shuffle(using: &draw)
        let text = parts.joined(separator: ";")
        return draw.chance(20) ? text.lowercased() : text
    }

    /// A rule with something changed, twice or foreign; some are right by chance.
    package mutating func spoilt() -> String {
        var bytes = Array(rule().utf8)
        for _ in 0...draw.int(0...3) where !bytes.isEmpty {
            let place = draw.int(0...bytes.count - 1)
            let other = draw.pick(Array("0159+-,;=TZMOFRmo :".utf8))
            switch draw.int(0...3) {
            case 0: bytes.remove(at: place)
            case 1: bytes[place] = other
            case 2: bytes.insert(other, at: place)
            default:
                let more = [
                    "COUNT=3", "BYMONTH=3", "BYDAY=1MO", "BYMONTHDAY=4", "UNTIL=20270101", "X=1", "", "é=ü", "WKST=",
                ]
                bytes += Array(";\(draw.pick(more))".utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func days(isNumbered: Bool) -> String {
        let numbers = isNumbered ? ["", "1", "+2", "3", "4", "05", "-1", "-2", "-5"] : [""]
        return (0..<draw.int(1...4)).map { _ in draw.pick(numbers) + draw.pick(Self.weekdays) }.joined(separator: ",")
    }

    private mutating func monthDays() -> String {
        (0..<draw.int(1...4)).map { _ in draw.pick(["", "-", "+"]) + String(draw.int(1...31)) }.joined(separator: ",")
    }
}
