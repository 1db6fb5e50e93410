import Systemd
import Testing

@testable import Operator
@testable import Core

/// What `nudged migrate` says before it changes anything.
@Suite struct MigrationPlanTests {
    private typealias Column = SetUpFacts.Column
    private typealias Relation = SetUpFacts.Relation

    /// An empty database, and a role that may do everything.
    private static let empty = SetUpFacts(
        schemaState: .behind(Migration.all),
        database: "app",
        versionNumber: 150_020,
        version: "15.20",
        isWritable: true,
        encoding: "UTF8",
        role: "app_owner",
        mayCreateSchema: true,
        mayCreateRoles: true,
        schemaOwner: nil,
        ownsSchema: false,
        apiOwner: nil,
        ownsAPI: false,
        held: [],
        mayCreateTables: true,
        otherTables: [],
        roles: [],
        mayDaemonLogIn: false,
        isDistributed: false,
        relations: [],
        excess: []
    )

    private static func relation(
        _ name: String,
        _ columns: [(String, String)],
        schema: String = "public",
        kind: String = "r",
        owner: String = "app_owner"
    ) -> Relation {
        Relation(
            schema: schema,
            name: name,
            kind: kind,
            owner: owner,
            isOurs: owner == "app_owner",
            isRead: false,
            columns: columns.map { Column(name: $0, type: $1) }
        )
    }

    private static func plan(
        _ options: MigrationPlan.Options = .init(),
        _ change: (inout SetUpFacts) -> Void = { _ in }
    ) -> MigrationPlan {
        var facts = empty
        change(&facts)
        return MigrationPlan(facts, pending: Migration.all, options: options)
    }

    private static func found(_ plan: MigrationPlan) -> [String] { plan.faults.map(\.found) }

    private static func texts(_ plan: MigrationPlan, _ label: String) -> [String] {
        plan.steps.filter { $0.label == label }.map(\.text)
    }

    private static let profiles = relation("context_profiles", [("user_id", "uuid")])
    private static let tokens = relation("push_tokens", [("user_id", "uuid"), ("device_token", "text")])

    // MARK: What is done

    @Test func plan_whenTheDatabaseIsEmpty_createsAll() {
        let plan = Self.plan()
        #expect(plan.faults.isEmpty && plan.status == .success)
        let apply = Self.texts(plan, "apply").first ?? ""
        #expect(apply.hasPrefix("0001_app_tables, 0002_person_and_ownership, "))
        let create = Self.texts(plan, "create")
        #expect(create.count == 3 && create[0].hasPrefix("the schemas nudged and nudged_api with "))
        #expect(create[0].contains(" functions"))
        #expect(create[1] == "table public.context_profiles, for the app's users")
        #expect(create[2] == "table public.push_tokens, for the app's devices")
        let triggers = Self.texts(plan, "triggers")
        #expect(triggers.count == 2 && triggers[0].hasPrefix("on public.context_profiles: nudged_profile_inserted, "))
        #expect(triggers[1].hasSuffix("nudged_device_deleted, nudged_device_limit, nudged_device_renewed"))
        #expect(Self.texts(plan, "roles") == ["create nudged_daemon, nudged_app and nudged_writer"])
        #expect(Self.texts(plan, "rights") == [])
        #expect(Self.texts(plan, "texts").first?.contains("six built-in templates stay inactive") == true)
        #expect(
            plan.lines.first
                == "\(Migration.all.count) migrations are pending in database app, for role app_owner:"
        )
        #expect(plan.lines.contains("  create     table public.push_tokens, for the app's devices"))
    }

    @Test func plan_whenTemplatesAreWanted_saysSo() {
        let plan = Self.plan(.init(usesTemplates: true))
        #expect(Self.texts(plan, "texts") == ["check-ins use the six built-in templates, in English"])
    }

    @Test func plan_whenTheTablesAreThere_namesTheColumnsItAdds() {
        let plan = Self.plan {
            $0.relations = [Self.profiles, Self.tokens]
            $0.otherTables = ["chats"]
            $0.mayCreateTables = false
        }
        #expect(plan.faults.isEmpty, "\(plan.faults)")
        #expect(Self.texts(plan, "use").first == "table public.context_profiles of app_owner, for users")
        #expect(
            Self.texts(plan, "add") == [
                "to public.context_profiles: notification_preferences jsonb, first_session_complete boolean, timezone text",
                "to public.push_tokens: platform text, created_at timestamptz, updated_at timestamptz, environment text, topic text",
            ]
        )
        #expect(Self.texts(plan, "triggers").last?.hasSuffix("nudged_device_deleted") == true)
        #expect(Self.texts(plan, "create").count == 1)
    }

    @Test func plan_whenSomeAreApplied_isOfTheOthers() {
        var facts = Self.empty
        facts.schemaOwner = "app_owner"
        facts.ownsSchema = true
        facts.held = ["migration", "person"]
        facts.otherTables = ["chats"]
        let plan = MigrationPlan(facts, pending: Array(Migration.all.suffix(1)))
        #expect(plan.faults.isEmpty, "\(plan.faults)")
        #expect(Self.texts(plan, "create").first?.hasPrefix("in nudged's schemas ") == true)
        #expect(plan.steps.map(\.label) == ["apply", "create"])
        #expect(plan.lines.first == "1 migration is pending in database app, for role app_owner:")
    }

    @Test func plan_whenRolesMayNotBeMade_isNoFault() {
        let plan = Self.plan {
            $0.mayCreateRoles = false
            $0.roles = ["nudged_app", "nudged_writer"]
        }
        #expect(plan.faults.isEmpty)
        #expect(Self.texts(plan, "roles").first?.hasPrefix("nudged_daemon can't be created by app_owner") == true)
    }

    // MARK: What is in the way

    @Test func plan_whenColumnsDiffer_namesAllAtOnce() {
        let plan = Self.plan {
            $0.relations = [
                Self.relation("context_profiles", [("user_id", "text"), ("first_session_complete", "integer")]),
                Self.relation("push_tokens", [("owner", "uuid"), ("created_at", "bigint")]),
            ]
        }
        #expect(
            Self.found(plan) == [
                "public.context_profiles.user_id is of type text, not uuid",
                "public.context_profiles.first_session_complete is of type integer, not boolean",
                "public.push_tokens has no column user_id (uuid)",
                "public.push_tokens has no column device_token (text)",
                "public.push_tokens.created_at is of type bigint, not timestamp with time zone",
            ]
        )
        #expect(plan.status == .configuration)
        #expect(plan.faults.allSatisfy { $0.remedy?.contains("docs/SQL.md") == true })
        #expect(plan.lines.first == "nothing was changed: 5 faults")
        #expect(plan.lines.contains("after these fixes, nudged migrate will:"))
        #expect(plan.lines[1] == "  error  public.context_profiles.user_id is of type text, not uuid")
        #expect(
            plan.lines[2].hasPrefix("         fix: alter table public.context_profiles alter column user_id type uuid")
        )
    }

    @Test(arguments: [("v", "a view"), ("f", "a foreign table"), ("m", "a materialized view")])
    func plan_whenItIsNoTable_saysWhatItIs(kind: String, name: String) {
        let plan = Self.plan {
            $0.relations = [Self.profiles, Self.relation("push_tokens", [], kind: kind)]
        }
        #expect(Self.found(plan) == ["public.push_tokens is \(name), but nudged needs a table for its triggers"])
    }

    @Test func plan_whenTypesAreAsGood_hasNoFault() {
        let plan = Self.plan {
            $0.relations = [
                Self.relation(
                    "context_profiles",
                    [("user_id", "uuid"), ("notification_preferences", "json"), ("timezone", "public.zone")],
                    kind: "p"
                ),
                Self.relation(
                    "push_tokens",
                    [("user_id", "uuid"), ("device_token", "public.citext"), ("created_at", "date")]
                ),
            ]
        }
        #expect(plan.faults.isEmpty, "\(plan.faults)")
    }

    @Test func plan_whenRightsAreMissing_namesEachAndItsGrant() {
        let plan = Self.plan {
            $0.mayCreateSchema = false
            $0.mayCreateTables = false
            $0.schemaOwner = "boss"
            $0.relations = [Self.relation("context_profiles", [("user_id", "uuid")], owner: "other")]
        }
        #expect(
            Self.found(plan) == [
                "app_owner may not create a schema in database app",
                "schema nudged belongs to boss, and app_owner is not a member of that role",
                "public.context_profiles belongs to other, and app_owner is not a member of that role",
                "app_owner may not create push_tokens in schema public",
            ]
        )
        #expect(plan.status == .permission)
        #expect(plan.faults.allSatisfy { $0.remedy?.contains("grant ") == true })
    }

    @Test func plan_whenTheServerIsUnfit_saysSo() {
        let plan = Self.plan {
            $0.versionNumber = 140_011
            $0.version = "14.11"
            $0.isWritable = false
            $0.mayCreateSchema = false
        }
        #expect(plan.faults.count == 3 && plan.status == .configuration)
        #expect(Self.found(plan).first == "PostgreSQL 14.11 is too old")
    }

    @Test func plan_whenTheEncodingIsUnknown_refusesWithTheRemedy() {
        let plan = Self.plan { $0.encoding = "SQL_ASCII" }
        #expect(plan.faults.count == 1 && plan.status == .configuration)
        #expect(Self.found(plan).first?.contains("encoding is SQL_ASCII") == true)
        #expect(plan.faults.first?.remedy?.contains("encoding 'UTF8' template template0") == true)
        #expect(Self.plan { $0.encoding = "LATIN1" }.faults.isEmpty)
    }

    @Test func plan_whenSchemaNudgedIsAnothers_saysWhatItHolds() {
        let plan = Self.plan {
            $0.schemaOwner = "app_owner"
            $0.ownsSchema = true
            $0.held = ["device", "migration", "nudges"]
        }
        #expect(Self.found(plan) == ["no migration is applied, but schema nudged holds nudges"])
    }

    /// A schema that somebody made before would be their hold on what apps call.
    @Test func plan_whenSchemaNudgedAPIIsThere_isAFault() {
        let foreign = Self.plan { $0.apiOwner = "boss" }
        #expect(
            Self.found(foreign) == ["schema nudged_api belongs to boss, and app_owner is not a member of that role"]
        )
        #expect(foreign.status == .permission)
        let own = Self.plan {
            $0.apiOwner = "app_owner"
            $0.ownsAPI = true
        }
        #expect(Self.found(own) == ["no migration is applied, but there is a schema nudged_api"])
        #expect(own.faults.first?.remedy?.contains("drop schema nudged_api") == true)
    }

    @Test func plan_whenSchemaNudgedAPIIsOurs_hasNoFaultLater() {
        var facts = Self.empty
        facts.schemaOwner = "app_owner"
        facts.ownsSchema = true
        facts.apiOwner = "app_owner"
        facts.ownsAPI = true
        facts.held = ["migration", "person"]
        #expect(MigrationPlan(facts, pending: Array(Migration.all.suffix(1))).faults.isEmpty)
        facts.ownsAPI = false
        #expect(MigrationPlan(facts, pending: Array(Migration.all.suffix(1))).faults.count == 1)
    }

    private static let grant = "grant select, insert, update, delete on public.push_tokens to nudged_writer"

    /// The role of the functions that write the app's table.
    @Test func plan_whenTheTableIsThere_saysWhatNudgedWriterGets() {
        let plan = Self.plan { $0.relations = [Self.profiles, Self.tokens] }
        #expect(Self.texts(plan, "rights") == [Self.grant])
    }

    /// The app's view may read a table that the migrator doesn't own.
    @Test func plan_whenTheTableIsAnothers_saysWhoGrantsWhat() {
        let plan = Self.plan {
            Self.mapped(&$0)
            $0.relations.append(Self.relation("push_tokens", [("user_id", "uuid")], owner: "boss"))
        }
        #expect(plan.faults.isEmpty, "\(plan.faults)")
        #expect(
            Self.texts(plan, "rights") == [
                "app_owner may not give them; as boss: \(Self.grant); then, as app_owner: select nudged.grant_roles()"
            ]
        )
    }

    // MARK: Tables with other names

    @Test func plan_whenTheDatabaseHasOtherTables_showsHowToMapThem() {
        let plan = Self.plan { $0.otherTables = ["devices", "users"] }
        #expect(
            Self.found(plan) == [
                "schema public has tables (devices, users), but no context_profiles and no push_tokens"
            ]
        )
        #expect(plan.status == .configuration && plan.needsMapping)
        #expect(plan.faults.first?.remedy?.contains("--create-tables") == true)
        #expect(plan.lines.contains { $0.contains("create view nudged.recipient as select … as user_id") })
        let made = Self.plan(.init(createsTables: true)) { $0.otherTables = ["devices", "users"] }
        #expect(made.faults.isEmpty && !made.lines.contains { $0.contains("create view") })
    }

    @Test func plan_whenTheOtherTablesAreMany_namesEight() {
        let plan = Self.plan { $0.otherTables = (1...20).map { "t\($0)" } }
        #expect(Self.found(plan).first?.contains("(t1, t2, t3, t4, t5, t6, t7, t8 and others)") == true)
    }

    private static func mapped(_ facts: inout SetUpFacts) {
        facts.schemaOwner = "app_owner"
        facts.ownsSchema = true
        facts.held = ["device", "recipient"]
        facts.otherTables = ["devices", "users"]
        facts.mayCreateTables = false
        facts.relations = [
            relation(
                "recipient",
                [
                    ("user_id", "uuid"), ("preferences", "jsonb"), ("timezone", "text"),
                    ("first_session_complete", "boolean"),
                ],
                schema: "nudged",
                kind: "v"
            ),
            relation(
                "device",
                [
                    ("user_id", "uuid"), ("token", "text"), ("registered_at", "timestamp with time zone"),
                    ("environment", "text"), ("topic", "text"),
                ],
                schema: "nudged",
                kind: "v"
            ),
        ]
    }

    @Test func plan_whenTheViewsAreThere_makesNoTable() {
        let plan = Self.plan { Self.mapped(&$0) }
        #expect(plan.faults.isEmpty, "\(plan.faults)")
        #expect(Self.texts(plan, "create").count == 1 && Self.texts(plan, "add").isEmpty)
        #expect(Self.texts(plan, "read").last == "devices by the app's view nudged.device")
        #expect(Self.texts(plan, "triggers").allSatisfy { $0.hasPrefix("none for ") })
    }

    @Test func plan_whenAViewLacksColumns_namesThem() {
        let plan = Self.plan {
            Self.mapped(&$0)
            $0.relations[0].columns.removeAll { $0.name == "timezone" }
            $0.relations[1].columns[2].type = "text"
            $0.relations[1].owner = "boss"
            $0.relations[1].isOurs = false
        }
        #expect(
            Self.found(plan) == [
                "nudged.recipient has no column timezone",
                "nudged.device belongs to boss, and app_owner is not a member of that role",
                "nudged.device.registered_at is of type text, not timestamp with time zone",
            ]
        )
    }

    /// A view of the app over a table of our name: that table gets triggers.
    @Test func plan_whenAViewReadsATableOfOurName_addsTriggers() {
        let plan = Self.plan {
            Self.mapped(&$0)
            var table = Self.relation("push_tokens", [("user_id", "uuid"), ("apns", "text")])
            table.isRead = true
            $0.relations.append(table)
        }
        #expect(Self.texts(plan, "triggers").last?.hasPrefix("on public.push_tokens: nudged_device_inserted") == true)
    }
}
