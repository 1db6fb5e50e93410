package enum KeySuggestion {
    /// Case, `_` and `-` are ignored. The last part is also compared alone: it may be in a wrong section.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let wanted = plain(name)
        // The limit depends on the last part: most long names have the same beginning.
        let limit = max(2, lastPart(wanted).count / 4 + 1)
        var best: (distance: Int, candidate: String)?
        for candidate in candidates {
            // A different section counts as one change, so that the right section wins if both match.
            let leaf = distance(lastPart(wanted), lastPart(plain(candidate))) + 1
            let found = min(distance(wanted, plain(candidate)), leaf)
            if found <= limit, found < best?.distance ?? Int.max { best = (found, candidate) }
        }
        return best?.candidate
    }

    private static func plain(_ name: String) -> [UInt8] {
        name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    private static func lastPart(_ name: [UInt8]) -> [UInt8] {
        Array(name.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed())
    }

    /// Optimal string alignment. Names over 100 bytes are not compared, so that a huge key costs nothing.
    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        if a.count > 100 || b.count > 100 { return Int.max / 2 }
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        for i in 0..<a.count {
            for j in 0..<b.count {
                var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, rows[i + 1][j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, rows[i - 1][j - 1] + 1) }
                rows[i + 1][j + 1] = least
            }
        }
        return rows[a.count][b.count]
    }
}
