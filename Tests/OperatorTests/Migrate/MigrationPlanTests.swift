import Systemd
import Testing

@testable import Core
@testable import Operator

/// What `nudged migrate` says before it changes anything, where `Transcripts` have no such database.
@Suite struct MigrationPlanTests {
    /// An empty database, and a role that may do everything.
    private static let empty = SetUpFacts(
        schemaState: .behind(Migration.all),
        session: SetUpFacts.Session(
            database: "app",
            versionNumber: 150_020,
            version: "15.20",
            isWritable: true,
            role: "app_owner",
            mayCreateSchema: true,
            mayCreateRoles: true,
            schemaOwner: nil,
            ownsSchema: false,
            held: [],
            mayCreateTables: true,
            otherTables: [],
            roles: [],
            mayDaemonLogIn: false,
            isDistributed: false,
            apiOwner: nil,
            ownsAPI: false,
            encoding: "UTF8"
        ),
        relations: [],
        excess: []
    )

    private static func plan(_ pending: [Migration] = Migration.all, _ change: (inout SetUpFacts) -> Void)
        -> MigrationPlan
    {
        var facts = empty
        change(&facts)
        return MigrationPlan(facts, pending: pending)
    }

    /// What is in the way.
    private static func faults(_ plan: MigrationPlan) -> [String] {
        plan.lines.filter { $0.hasPrefix("  error  ") }.map { String($0.dropFirst(9)) }
    }

    private static func table(_ name: String, kind: String = "r", owner: String = "app_owner") -> SetUpFacts.Relation {
        SetUpFacts.Relation(
            schema: "public",
            name: name,
            kind: kind,
            owner: owner,
            isOurs: owner == "app_owner",
            isRead: false,
            columns: ["user_id": "uuid", "device_token": "public.citext"]
        )
    }

    @Test func plan_whenSomeAreApplied_isOfTheOthers() {
        let plan = Self.plan(Array(Migration.all.suffix(1))) {
            ($0.schemaOwner, $0.ownsSchema, $0.apiOwner, $0.ownsAPI) = ("app_owner", true, "app_owner", true)
            ($0.held, $0.otherTables) = (["migration", "person"], ["chats"])
        }
        #expect(plan.status == .success)
        #expect(plan.lines.first == "1 migration is pending in database app, for role app_owner:")
        #expect(plan.lines.count == 3 && plan.lines[2].hasPrefix("  create     in nudged's schemas "))
    }

    @Test(arguments: [("v", "a view"), ("f", "a foreign table"), ("m", "a materialized view")])
    func plan_whenItIsNoTable_saysWhatItIs(kind: String, name: String) {
        let plan = Self.plan { $0.relations = [Self.table("context_profiles"), Self.table("push_tokens", kind: kind)] }
        #expect(Self.faults(plan) == ["public.push_tokens is \(name), but nudged needs a table for its triggers"])
        // A type of an extension has its schema's name before it.
        #expect(Self.faults(Self.plan { $0.relations = [Self.table("push_tokens")] }).isEmpty)
    }

    @Test func plan_whenRightsAreMissing_namesEachAndItsGrant() {
        let plan = Self.plan {
            ($0.mayCreateSchema, $0.mayCreateTables, $0.schemaOwner) = (false, false, "boss")
            $0.relations = [Self.table("context_profiles", owner: "other")]
        }
        #expect(
            Self.faults(plan) == [
                "app_owner may not create a schema in database app",
                "schema nudged belongs to boss, and app_owner is not a member of that role",
                "public.context_profiles belongs to other, and app_owner is not a member of that role",
                "app_owner may not create push_tokens in schema public",
            ]
        )
        #expect(plan.status == .permission)
        #expect(plan.lines.filter { $0.hasPrefix("         fix: ") }.allSatisfy { $0.contains("grant ") })
    }

    /// A schema that the app made isn't nudged's, even if it may be changed.
    @Test(arguments: [true, false]) func plan_whenTheAppHasASchemaOfOurName_saysToRenameIt(_ isOurs: Bool) {
        let plan = Self.plan { ($0.apiOwner, $0.ownsAPI, $0.apiSchema) = ("app", isOurs, "nudged_me") }
        #expect(Self.faults(plan) == ["no migration is applied, but there is a schema nudged_me of app"])
        #expect(plan.lines.contains { $0.hasPrefix("         fix: as app: alter schema nudged_me rename to") })
        let later = Self.plan(Array(Migration.all.suffix(1))) {
            ($0.apiOwner, $0.ownsAPI, $0.apiSchema) = ("app", isOurs, "nudged_me")
        }
        #expect(Self.faults(later).first?.contains("belongs to app") == (isOurs ? nil : true))
    }

    /// Such as after `setup --undo`.
    @Test(arguments: [true, false]) func plan_whenNudgedMadeTheTable_addsItsOwnTriggers(_ isNudgeds: Bool) {
        var table = Self.table("push_tokens")
        table.isNudgeds = isNudgeds
        let plan = Self.plan { $0.relations = [table] }
        #expect(plan.lines.contains { $0.contains("nudged_device_limit") } == isNudgeds)
    }

    /// What is wrong with the database counts more than a missing right.
    @Test func plan_whenTheServerIsUnfit_saysSo() {
        let plan = Self.plan {
            ($0.versionNumber, $0.version, $0.isWritable, $0.mayCreateSchema) = (140_011, "14.11", false, false)
        }
        #expect(Self.faults(plan).count == 3 && plan.status == .configuration)
        #expect(Self.faults(plan).first == "PostgreSQL 14.11 is too old")
    }

    @Test func plan_whenRolesMayBeMade_saysWhich() {
        let made = Self.plan { $0.roles = ["nudged_app"] }
        #expect(made.lines.contains("  roles      create nudged_daemon and nudged_writer"))
        let distributed = Self.plan { $0.isDistributed = true }
        #expect(distributed.lines.contains { $0.hasSuffix(", unless Citus distributes it") })
    }
}
