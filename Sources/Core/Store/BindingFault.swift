import Postgres

/// A view or trigger of nudged that is missing, disabled, or bound to another table than the one with nudged's name:
/// views and triggers stay with a table that is renamed, but functions look names up.
package struct BindingFault: Sendable, Equatable {
    /// `nudged.device`, or `nudged_device_inserted on public.push_tokens`.
    package var object: String
    /// The rest of a sentence that begins with the object.
    package var fault: String
    /// Whether `nudged migrate` can bind it again.
    package var isFixable: Bool
    /// The daemon would read the wrong users, devices or members, so it sends nothing.
    package var stops: Bool

    package var text: String { "\(object) \(fault)" }

    /// What to do about it.
    package var remedy: String {
        isFixable
            ? "run nudged migrate as the role that owns the app's tables, then nudged replan"
            : "define the view again over the right table (create or replace view, docs/SQL.md), "
                + "or give the table its former name, then run nudged replan"
    }

    static func all(_ rows: Rows) throws(PostgresError) -> [BindingFault] {
        var found: [BindingFault] = []
        for row in 0..<rows.count {
            found.append(
                BindingFault(
                    object: try rows.text(row, 0),
                    fault: try rows.text(row, 1),
                    isFixable: try rows.bool(row, 2),
                    stops: try rows.bool(row, 3)
                )
            )
        }
        return found
    }
}
