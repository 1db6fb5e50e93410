import Core

struct RoleExcess: Sendable, Equatable {
    /// `public` is every role.
    let role: String
    let rights: [ExcessRight]

    /// One for each role. First those that anybody can act as.
    static func all(_ rights: [ExcessRight]) -> [RoleExcess] {
        let first = ["public", "anon", "authenticated", "service_role"]
        let byRole = Dictionary(grouping: rights, by: \.role)
        let others = byRole.keys.filter { !first.contains($0) }.sorted()
        return (first + others).compactMap { role in byRole[role].map { RoleExcess(role: role, rights: $0) } }
    }

    /// Whether anybody who reaches the app's API can use them.
    var isOpen: Bool { ["public", "anon", "authenticated"].contains(role) }

    var who: String { role == "public" ? "every role (PUBLIC)" : role }

    /// One privilege on one object counts as one.
    var count: Int { rights.reduce(0) { $0 + $1.privileges.count } }

    /// The most names in `text`, and the least in one list. A finding has 500 characters.
    private static let mostNames = 12
    private static let leastNames = 3

    /// `select on nudged.person, nudged.delivery and 26 more; execute on nudged.hold and 40 more`.
    var text: String {
        let lists = self.lists
        let most = max(Self.leastNames, Self.mostNames / max(1, lists.count))
        let texts = lists.map { list in
            let more = list.objects.count - most
            let names = list.objects.prefix(most).joined(separator: ", ")
            return "\(list.privileges) on \(names)" + (more > 0 ? " and \(more) more" : "")
        }
        return texts.joined(separator: "; ")
    }

    /// The objects by what the role may do with them. What holds data comes first, and the record's partitions last:
    /// they say no more than the record.
    private var lists: [(privileges: String, objects: [String])] {
        let named = rights.map { (privileges: Self.named($0.privileges), object: Self.named($0.object)) }
        let last = ["execute", "usage"]
        let privileges = named.map(\.privileges).filter { !last.contains($0) }.distinct + last
        return privileges.compactMap { privileges in
            let objects = named.filter { $0.privileges == privileges }.map(\.object).distinct
            let days = objects.filter { $0.hasPrefix("nudged.delivery_") }
            return objects.isEmpty ? nil : (privileges, objects.filter { !days.contains($0) } + days)
        }
    }

    /// Those of a table. A newer PostgreSQL may have more.
    private static let ofTable: Set = ["select", "insert", "update", "delete", "truncate", "references", "trigger"]

    private static func named(_ privileges: [String]) -> String {
        ofTable.isSubset(of: privileges) ? "all" : privileges.sorted().joined(separator: ", ")
    }

    /// A function without its arguments.
    private static func named(_ object: String) -> String {
        if object.hasPrefix("new ") { return object }
        return object.contains(".") ? String(object.prefix { $0 != "(" }) : "schema \(object)"
    }
}

extension [String] {
    /// Each element once, in its first place.
    var distinct: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
