import Testing

@testable import Operator
@testable import Core

@Suite struct RoleExcessTests {
    private static func right(_ object: String, _ privileges: [String], role: String = "anon") -> ExcessRight {
        ExcessRight(role: role, object: object, privileges: privileges, statement: "")
    }

    private static let all = ["delete", "insert", "references", "select", "trigger", "truncate", "update"]

    private static func text(_ rights: [ExcessRight]) -> String { RoleExcess(role: "anon", rights: rights).text }

    @Test func text_whenObjectsShareTheirPrivileges_isOneList() {
        let text = Self.text([
            Self.right("nudged", ["usage"]), Self.right("nudged.hold(name text)", ["execute"]),
            Self.right("nudged.person", Self.all), Self.right("nudged.device", Self.all + ["maintain"]),
            Self.right("nudged.range", ["update", "select"]),
        ])
        // What holds data comes first.
        #expect(
            text
                == "all on nudged.person, nudged.device; select, update on nudged.range; execute on nudged.hold; "
                + "usage on schema nudged"
        )
    }

    @Test func text_whenAFunctionHasSeveralVariants_namesItOnce() {
        let variants = ["json", "jsonb", "text"].map { Self.right("nudged.context_text(context \($0))", ["execute"]) }
        #expect(Self.text(variants) == "execute on nudged.context_text")
    }

    @Test func text_whenThereAreMany_namesAFew() {
        let many = (1...100).map { Self.right("nudged.t\($0)", ["select"]) }
        let text = Self.text(many)
        #expect(text.hasPrefix("select on nudged.t1, nudged.t2, ") && text.hasSuffix("nudged.t12 and 88 more"))
        let kinds = ["select", "insert", "update", "delete", "truncate", "trigger"]
        let mixed = kinds.flatMap { kind in (1...9).map { Self.right("nudged.t\($0)", [kind]) } }
        #expect(Self.text(mixed).ranges(of: "nudged.t").count == 18)
    }

    @Test func text_whenThereArePartitions_namesTheRecordFirst() {
        let days = (10...29).map { Self.right("nudged.delivery_202611\($0)", Self.all) }
        let text = Self.text(days + [Self.right("nudged.delivery", Self.all), Self.right("nudged.person", Self.all)])
        #expect(text.hasPrefix("all on nudged.delivery, nudged.person, nudged.delivery_20261110"))
    }

    @Test func text_whenItIsOfLater_saysSo() {
        let later = Self.right("new tables that app_owner makes in schema nudged", ["select"])
        #expect(Self.text([later]) == "select on new tables that app_owner makes in schema nudged")
    }

    @Test func all_beginsWithRolesThatAnybodyCanActAs() {
        let roles = ["service_role", "nudged_app", "authenticated", "public", "anon"]
        let all = RoleExcess.all(roles.map { Self.right("nudged.person", ["select", "insert"], role: $0) })
        #expect(all.map(\.role) == ["public", "anon", "authenticated", "service_role", "nudged_app"])
        #expect(all.map(\.isOpen) == [true, true, true, false, false] && all.allSatisfy { $0.count == 2 })
    }
}
