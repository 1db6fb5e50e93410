extension ZoneDatabase {
    /// Old names of zones with the names that they stand for, from the lines `L target name` of `tzdata.zi`.
    ///
    /// Debian 13 and Ubuntu 24.04 have the files of old names (`Asia/Calcutta`, `US/Eastern`) in a package of their own,
    /// which few hosts have. But `tzdata.zi` names them all, and PostgreSQL knows them.
    ///
    /// - Throws: `unreadable` if the file is there and can't be read now.
    static func links(in directory: String) throws(TimeZoneError) -> [String: String] {
        let bytes: [UInt8]
        do throws(TimeZoneError) {
            bytes = try ZoneFile.read("\(directory)/tzdata.zi")
        } catch {
            guard error.code != .unreadable else { throw error }
            return [:]
        }
        var links: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) where line.first == UInt8(ascii: "L") {
            guard links.count < mostLinks else { break }
            let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 3, words[0] == "L", isWellFormed(words[1]), isWellFormed(words[2]) else { continue }
            links[words[2]] = words[1]
        }
        return links
    }

    /// The real file has some 250.
    private static let mostLinks = 4_096
    /// A link may stand for another link.
    static let mostHops = 4
}
