import Service
import Core
import Systemd

extension DatabaseAnswers {
    private static let grantRoles = "as the owner of schema nudged: select nudged.grant_roles()"

    /// What a broad grant gave: one finding for each role.
    var excess: [Finding] {
        let place = Finding.Place(.database, "excess_rights")
        let remedy = "\(Self.grantRoles) (or one by one: select statement from nudged.excess_right)"
        return excessRights.findings(place) { rights in
            let roles = RoleExcess.all(rights)
            guard !roles.isEmpty else { return [place.ok("no role has rights beyond nudged.role_right")] }
            return roles.map { role in
                let found = "\(role.who) has \(Elapsed.counted(role.count, "right", "rights")) too many: \(role.text)"
                let details = role.rights.map(\.statement)
                return role.isOpen
                    ? place.error(found, remedy: remedy, .permission, details: details)
                    : place.warning(found, remedy: remedy, details: details)
            }
        }
    }

    /// The functions that write the app's tables: whether they run with the rights of nudged_writer only, and can do
    /// their work with these.
    var writing: [Finding] {
        let place = Finding.Place(.database, "writer")
        return written.findings(place) { written in
            guard let first = written.first else { return [place.ok("nudged's functions write no table of the app")] }
            let names = first.foreign.map { "nudged.\($0)" }.joined(separator: ", ")
            let owners = first.owners.joined(separator: ", ")
            let tables = written.map(\.name).joined(separator: ", ")
            let rights = "\(names) run with the rights of \(owners), and so do the triggers of \(tables)"
            guard first.hasWriter else {
                return [
                    place.warning(
                        "the role nudged_writer is missing: \(rights)",
                        remedy: "create role nudged_writer nologin; grant nudged_writer to \(owners); "
                            + "then, \(Self.grantRoles)"
                    )
                ]
            }
            var found = written.flatMap { Self.obstacles($0, place) }
            if !first.foreign.isEmpty {
                let member = "if that role is no member of nudged_writer, first: grant nudged_writer to \(owners)"
                found.append(place.warning(rights, remedy: "\(Self.grantRoles); \(member)"))
            }
            return found.isEmpty ? [place.ok("nudged_writer owns the functions that write \(tables)")] : found
        }
    }

    /// Why nudged_writer can't write a table. It is an error only if a function runs as nudged_writer.
    private static func obstacles(_ table: DatabaseFacts.Written, _ place: Finding.Place) -> [Finding] {
        var found: [Finding] = []
        func add(_ text: String, _ remedy: String) {
            found.append(
                table.owned > 0
                    ? place.error("\(text): nudged's functions can't write it", remedy: remedy, .permission)
                    : place.warning(text, remedy: remedy)
            )
        }
        if !table.lacking.isEmpty {
            let lacking = table.lacking.joined(separator: ", ")
            add(
                "nudged_writer lacks \(lacking) on \(table.name)",
                "as its owner: grant \(lacking) on \(table.name) to nudged_writer; then, \(grantRoles)"
            )
        }
        if table.isHidden {
            add(
                "row-level security of \(table.name) hides rows from nudged_writer",
                "as its owner: create policy nudged_writer on \(table.name) to nudged_writer "
                    + "using (true) with check (true)"
            )
        }
        return found
    }
}
