/// Finds the key that was probably meant.
enum KeySuggestion {
    /// The nearest of `candidates` to a dotted name; nil where none is near.
    ///
    /// Case, `_` and `-` make no difference (`apns.team_id`), and the last part alone counts too, so that a key under the wrong section is found.
    static func nearest(to name: String, among candidates: [String]) -> String? {
        let wanted = plain(name)
        // The last part decides how far is near: most long names share their beginning.
        let limit = max(2, lastPart(wanted).count / 4 + 1)
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            let whole = distance(wanted, plain(candidate))
            // Being in another section counts as one change, so that the right section wins where both fit.
            let leaf = distance(lastPart(wanted), lastPart(plain(candidate))) + 1
            let found = min(whole, leaf)
            if found <= limit, found < best?.distance ?? Int.max { best = (found, candidate) }
        }
        return best?.candidate
    }

    /// The nearest environment variable.
    static func nearest(toVariable name: String, among candidates: [String]) -> String? {
        let limit = max(2, name.count / 4)
        let wanted = Array(name.utf8)
        let near = candidates.map { ($0, distance(wanted, Array($0.utf8))) }.filter { $0.1 <= limit }
        return near.min { $0.1 < $1.1 }?.0
    }

    private static func plain(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    private static func lastPart(_ name: [UInt8]) -> [UInt8] {
        Array(name.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed())
    }

    /// Insertions, deletions, changes, and swaps of neighbours (optimal string alignment). Bounded: a key of a megabyte costs nothing.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if a.count > 100 || b.count > 100 { return Int.max / 2 }
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in 0..<a.count {
            for j in 0..<b.count {
                let change = rows[i][j] + (a[i] == b[j] ? 0 : 1)
                var least = min(change, rows[i][j + 1] + 1, rows[i + 1][j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                rows[i + 1][j + 1] = least
            }
        }
        return rows[a.count][b.count]
    }
}
