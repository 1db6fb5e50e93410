import LocalPostgres

/// Apple's books beside a database's, once everyone has been served.
struct Comparison: CustomStringConvertible {
    /// Devices that got nothing, and of which nothing is recorded as unknown.
    let lost: Int
    /// Devices that got more than one push.
    let doubled: Int
    /// The most that one got.
    let most: Int
    /// Devices recorded as unknown.
    let unknown: Int
    /// Why, and how many rows.
    let reasons: String
    /// Devices that Apple has and the record doesn't.
    let unrecorded: Int

    init(_ scene: Scene, _ server: LocalCluster) throws {
        let accepted = scene.accepted()
        let rows = try server.sql(
            """
            select t.device_token,
                count(*) filter (where d.outcome = 'accepted'), count(*) filter (where d.outcome = 'unknown')
            from public.push_tokens t left join nudged.delivery d on d.user_id = t.user_id
                and d.device_hash = left(encode(sha256(convert_to(lower(t.device_token), 'UTF8')), 'hex'), 16)
            group by 1
            """,
            database: scene.database
        ).split(separator: "\n").map { $0.split(separator: "|").map(String.init) }
        reasons = try server.sql(
            "select reason || ' ' || count(*) from nudged.delivery where outcome = 'unknown' group by reason order by 1",
            database: scene.database
        ).split(separator: "\n").joined(separator: ", ")
        lost = rows.count { accepted[$0[0]] == nil && $0[2] == "0" }
        unknown = rows.count { $0[2] != "0" }
        unrecorded = rows.count { accepted[$0[0]] != nil && $0[1] == "0" && $0[2] == "0" }
        doubled = accepted.values.count { $0 > 1 }
        most = accepted.values.max() ?? 0
    }

    var description: String {
        "lost \(lost), doubled \(doubled) (at most \(most) a device), unknown \(unknown) (\(reasons)), unrecorded \(unrecorded)"
    }
}
