package import Postgres
import SQLFiles

/// A statement of `sql/queries`, embedded at build time. Each has one line below.
package struct Query: Sendable, Hashable {
    /// As in its line `-- name: …`, for errors too.
    package let name: String
    /// With its comments, decoded once.
    package let sql: String

    /// The statement with its parameters.
    package func callAsFunction(_ parameters: [Parameter] = []) -> Statement {
        Statement(name, sql: sql, parameters: parameters)
    }

    package static func == (one: Query, other: Query) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Query {
    /// Every statement of the files, in their order.
    static let all = statements(in: String(cString: nudged_statements()))

    private static let texts = Dictionary(all.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first })

    /// A name without a text is a statement that the server refuses. QueryTests find it.
    private init(_ name: String) { self.init(name: name, sql: Self.texts[name] ?? "") }

    /// Splits the text of files at their lines `-- name: …`, and leaves out empty lines.
    static func statements(in text: String) -> [Query] {
        let mark = "-- name: "
        var found: [(name: Substring, lines: [Substring])] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix(mark) {
                found.append((line.dropFirst(mark.count), []))
            } else if !found.isEmpty {
                found[found.count - 1].lines.append(line)
            }
        }
        return found.map { Query(name: String($0.name), sql: $0.lines.joined(separator: "\n")) }
    }
}

extension Query {
    package static let analysed = Query("analysed")
    package static let answerPreview = Query("answer_preview")
    package static let bindingFaults = Query("binding_faults")
    package static let claimDevices = Query("claim_devices")
    package static let claimDevicesBounded = Query("claim_devices_bounded")
    package static let claimDevicesDistributed = Query("claim_devices_distributed")
    package static let claimMessages = Query("claim_messages")
    package static let claimMessagesBounded = Query("claim_messages_bounded")
    package static let claimMessagesDistributed = Query("claim_messages_distributed")
    package static let claimPeople = Query("claim_people")
    package static let claimProfiles = Query("claim_profiles")
    package static let claimReminders = Query("claim_reminders")
    package static let claimRemindersBounded = Query("claim_reminders_bounded")
    package static let claimRemindersDistributed = Query("claim_reminders_distributed")
    package static let clock = Query("clock")
    package static let closeIntents = Query("close_intents")
    package static let countUsers = Query("count_users")
    package static let daemonGone = Query("daemon_gone")
    package static let daemons = Query("daemons")
    package static let deadMembers = Query("dead_members")
    package static let doctorAppTables = Query("doctor_app_tables")
    package static let doctorBloat = Query("doctor_bloat")
    package static let doctorColumns = Query("doctor_columns")
    package static let doctorHolders = Query("doctor_holders")
    package static let doctorOpenTables = Query("doctor_open_tables")
    package static let doctorPartitions = Query("doctor_partitions")
    package static let doctorRights = Query("doctor_rights")
    package static let doctorServer = Query("doctor_server")
    package static let doctorUsedZones = Query("doctor_used_zones")
    package static let doctorWriter = Query("doctor_writer")
    package static let departed = Query("departed")
    package static let doctorZones = Query("doctor_zones")
    package static let drain = Query("drain")
    package static let dropIntents = Query("drop_intents")
    package static let dropOrphan = Query("drop_orphan")
    package static let dueFanOuts = Query("due_fan_outs")
    package static let dueFloor = Query("due_floor")
    package static let endMember = Query("end_member")
    package static let endMessages = Query("end_messages")
    package static let endReminders = Query("end_reminders")
    package static let eraseDeparted = Query("erase_departed")
    package static let excessRights = Query("excess_rights")
    package static let fanOutAdvance = Query("fan_out_advance")
    package static let fanOutDrop = Query("fan_out_drop")
    package static let fanOutFinish = Query("fan_out_finish")
    package static let fanOutHold = Query("fan_out_hold")
    package static let fanOutMember = Query("fan_out_member")
    package static let fanOutMembers = Query("fan_out_members")
    package static let fanOutRecipients = Query("fan_out_recipients")
    package static let fanOutTell = Query("fan_out_tell")
    package static let fanOutWait = Query("fan_out_wait")
    package static let forgetDevices = Query("forget_devices")
    package static let freePeople = Query("free_people")
    package static let heartbeat = Query("heartbeat")
    package static let hidden = Query("hidden")
    package static let holdMember = Query("hold_member")
    package static let holdMessages = Query("hold_messages")
    package static let holdMessagesDistributed = Query("hold_messages_distributed")
    package static let intent = Query("intent")
    package static let isMisbound = Query("is_misbound")
    package static let join = Query("join")
    package static let liveReminders = Query("live_reminders")
    package static let livingDaemons = Query("living_daemons")
    package static let lockMember = Query("lock_member")
    package static let maintainDelivery = Query("maintain_delivery")
    package static let membership = Query("membership")
    package static let migrationsApplied = Query("migrations_applied")
    package static let migrationsNeeded = Query("migrations_needed")
    package static let moveDevices = Query("move_devices")
    package static let noteAnalysed = Query("note_analysed")
    package static let noteEnvironments = Query("note_environments")
    package static let openPreviews = Query("open_previews")
    package static let orphanIntents = Query("orphan_intents")
    package static let orphans = Query("orphans")
    package static let ownIntents = Query("own_intents")
    package static let pause = Query("pause")
    package static let pausedKinds = Query("paused_kinds")
    package static let pausedUsers = Query("paused_users")
    package static let pauses = Query("pauses")
    package static let postpone = Query("postpone")
    package static let probeDevices = Query("probe_devices")
    package static let probeMessages = Query("probe_messages")
    package static let probeProfile = Query("probe_profile")
    package static let probeReminders = Query("probe_reminders")
    package static let pruneMessageKeys = Query("prune_message_keys")
    package static let prunePreviews = Query("prune_previews")
    package static let pruneReminders = Query("prune_reminders")
    package static let quarantine = Query("quarantine")
    package static let readDeliveries = Query("read_deliveries")
    package static let readDue = Query("read_due")
    package static let readIntents = Query("read_intents")
    package static let readLeftOut = Query("read_left_out")
    package static let readOwner = Query("read_owner")
    package static let readTouches = Query("read_touches")
    package static let readUsers = Query("read_users")
    package static let readWaiting = Query("read_waiting")
    package static let remaining = Query("remaining")
    package static let renew = Query("renew")
    package static let reportDeliveries = Query("report_deliveries")
    package static let reportHours = Query("report_hours")
    package static let reportSweeps = Query("report_sweeps")
    package static let restoreIntents = Query("restore_intents")
    package static let restoreMessages = Query("restore_messages")
    package static let restoreNewcomers = Query("restore_newcomers")
    package static let restoreReminders = Query("restore_reminders")
    package static let restoreTouches = Query("restore_touches")
    package static let restoreUsers = Query("restore_users")
    package static let resume = Query("resume")
    package static let resumed = Query("resumed")
    package static let retention = Query("retention")
    package static let rolesWanting = Query("roles_wanting")
    package static let settle = Query("settle")
    package static let setUpRelations = Query("set_up_relations")
    package static let setUpRole = Query("set_up_role")
    package static let status = Query("status")
    package static let stuckCommits = Query("stuck_commits")
    package static let takeRanges = Query("take_ranges")
    package static let templates = Query("templates")
    package static let touchUsers = Query("touch_users")
    package static let touchedSince = Query("touched_since")
    package static let touches = Query("touches")
    package static let turns = Query("turns")
    package static let unseenUsers = Query("unseen_users")
    package static let waitingFanOuts = Query("waiting_fan_outs")
    package static let wakeUsers = Query("wake_users")
    package static let withdrawIntents = Query("withdraw_intents")
}
