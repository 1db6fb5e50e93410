/// The SQL of `sql/queries`, one case a file, embedded at build time.
package enum Query: String, CaseIterable, Sendable {
    case analysed
    case claimCandidates = "claim_candidates"
    case claimDevices = "claim_devices"
    case claimDevicesBounded = "claim_devices_bounded"
    case claimFree = "claim_free"
    case claimMessages = "claim_messages"
    case claimMessagesBounded = "claim_messages_bounded"
    case claimMessagesBoundedDistributed = "claim_messages_bounded_distributed"
    case claimRecipients = "claim_recipients"
    case claimReminders = "claim_reminders"
    case claimTaken = "claim_taken"
    case clock
    case countUsers = "count_users"
    case daemonGone = "daemon_gone"
    case daemons
    case deadIntents = "dead_intents"
    case doctorAppTables = "doctor_app_tables"
    case doctorBloat = "doctor_bloat"
    case doctorColumns = "doctor_columns"
    case doctorHolders = "doctor_holders"
    case doctorOpenTables = "doctor_open_tables"
    case doctorPartitions = "doctor_partitions"
    case doctorRights = "doctor_rights"
    case doctorServer = "doctor_server"
    case doctorTriggers = "doctor_triggers"
    case doctorZones = "doctor_zones"
    case drain
    case drainFree = "drain_free"
    case dueFloor = "due_floor"
    case dueSpreads = "due_spreads"
    case forgetDevices = "forget_devices"
    case heartbeat
    case hidden
    case holdMessages = "hold_messages"
    case holdMessagesDistributed = "hold_messages_distributed"
    case intent
    case liveReminders = "live_reminders"
    case maintainDelivery = "maintain_delivery"
    case migrationsApplied = "migrations_applied"
    case migrationsNeeded = "migrations_needed"
    case noteAnalysed = "note_analysed"
    case pause
    case pausedKinds = "paused_kinds"
    case pauses
    case postpone
    case pruneMessageKeys = "prune_message_keys"
    case pruneReminders = "prune_reminders"
    case quarantine
    case readDeliveries = "read_deliveries"
    case readDue = "read_due"
    case readIntents = "read_intents"
    case readTouches = "read_touches"
    case readUsers = "read_users"
    case readWaiting = "read_waiting"
    case recover
    case release
    case remaining
    case renew
    case reportDeliveries = "report_deliveries"
    case reportHours = "report_hours"
    case reportSweeps = "report_sweeps"
    case restoreTouches = "restore_touches"
    case restoreUsers = "restore_users"
    case resume
    case resumed
    case rolesWanting = "roles_wanting"
    case settle
    case spreadAdvance = "spread_advance"
    case spreadDrop = "spread_drop"
    case spreadFinish = "spread_finish"
    case spreadHold = "spread_hold"
    case spreadMember = "spread_member"
    case spreadMembers = "spread_members"
    case spreadRecipients = "spread_recipients"
    case spreadTell = "spread_tell"
    case spreadWait = "spread_wait"
    case status
    case stuckCommits = "stuck_commits"
    case templates
    case touchedSince = "touched_since"
    case versions
    case waitingSpreads = "waiting_spreads"
    case wakeUsers = "wake_users"
    case withdrawIntent = "withdraw_intent"

    /// The file's text, decoded once.
    package var sql: String { Self.texts[self] ?? "" }

    private static let texts: [Query: String] = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, String(decoding: $0.bytes, as: UTF8.self)) }
    )

    private var bytes: [UInt8] {
        switch self {
        case .analysed: PackageResources.analysed_sql
        case .claimCandidates: PackageResources.claim_candidates_sql
        case .claimDevices: PackageResources.claim_devices_sql
        case .claimDevicesBounded: PackageResources.claim_devices_bounded_sql
        case .claimFree: PackageResources.claim_free_sql
        case .claimMessages: PackageResources.claim_messages_sql
        case .claimMessagesBounded: PackageResources.claim_messages_bounded_sql
        case .claimMessagesBoundedDistributed: PackageResources.claim_messages_bounded_distributed_sql
        case .claimRecipients: PackageResources.claim_recipients_sql
        case .claimReminders: PackageResources.claim_reminders_sql
        case .claimTaken: PackageResources.claim_taken_sql
        case .clock: PackageResources.clock_sql
        case .countUsers: PackageResources.count_users_sql
        case .daemonGone: PackageResources.daemon_gone_sql
        case .daemons: PackageResources.daemons_sql
        case .deadIntents: PackageResources.dead_intents_sql
        case .doctorAppTables: PackageResources.doctor_app_tables_sql
        case .doctorBloat: PackageResources.doctor_bloat_sql
        case .doctorColumns: PackageResources.doctor_columns_sql
        case .doctorHolders: PackageResources.doctor_holders_sql
        case .doctorOpenTables: PackageResources.doctor_open_tables_sql
        case .doctorPartitions: PackageResources.doctor_partitions_sql
        case .doctorRights: PackageResources.doctor_rights_sql
        case .doctorServer: PackageResources.doctor_server_sql
        case .doctorTriggers: PackageResources.doctor_triggers_sql
        case .doctorZones: PackageResources.doctor_zones_sql
        case .drain: PackageResources.drain_sql
        case .drainFree: PackageResources.drain_free_sql
        case .dueFloor: PackageResources.due_floor_sql
        case .dueSpreads: PackageResources.due_spreads_sql
        case .forgetDevices: PackageResources.forget_devices_sql
        case .heartbeat: PackageResources.heartbeat_sql
        case .hidden: PackageResources.hidden_sql
        case .holdMessages: PackageResources.hold_messages_sql
        case .holdMessagesDistributed: PackageResources.hold_messages_distributed_sql
        case .intent: PackageResources.intent_sql
        case .liveReminders: PackageResources.live_reminders_sql
        case .maintainDelivery: PackageResources.maintain_delivery_sql
        case .migrationsApplied: PackageResources.migrations_applied_sql
        case .migrationsNeeded: PackageResources.migrations_needed_sql
        case .noteAnalysed: PackageResources.note_analysed_sql
        case .pause: PackageResources.pause_sql
        case .pausedKinds: PackageResources.paused_kinds_sql
        case .pauses: PackageResources.pauses_sql
        case .postpone: PackageResources.postpone_sql
        case .pruneMessageKeys: PackageResources.prune_message_keys_sql
        case .pruneReminders: PackageResources.prune_reminders_sql
        case .quarantine: PackageResources.quarantine_sql
        case .readDeliveries: PackageResources.read_deliveries_sql
        case .readDue: PackageResources.read_due_sql
        case .readIntents: PackageResources.read_intents_sql
        case .readTouches: PackageResources.read_touches_sql
        case .readUsers: PackageResources.read_users_sql
        case .readWaiting: PackageResources.read_waiting_sql
        case .recover: PackageResources.recover_sql
        case .release: PackageResources.release_sql
        case .remaining: PackageResources.remaining_sql
        case .renew: PackageResources.renew_sql
        case .reportDeliveries: PackageResources.report_deliveries_sql
        case .reportHours: PackageResources.report_hours_sql
        case .reportSweeps: PackageResources.report_sweeps_sql
        case .restoreTouches: PackageResources.restore_touches_sql
        case .restoreUsers: PackageResources.restore_users_sql
        case .resume: PackageResources.resume_sql
        case .resumed: PackageResources.resumed_sql
        case .rolesWanting: PackageResources.roles_wanting_sql
        case .settle: PackageResources.settle_sql
        case .spreadAdvance: PackageResources.spread_advance_sql
        case .spreadDrop: PackageResources.spread_drop_sql
        case .spreadFinish: PackageResources.spread_finish_sql
        case .spreadHold: PackageResources.spread_hold_sql
        case .spreadMember: PackageResources.spread_member_sql
        case .spreadMembers: PackageResources.spread_members_sql
        case .spreadRecipients: PackageResources.spread_recipients_sql
        case .spreadTell: PackageResources.spread_tell_sql
        case .spreadWait: PackageResources.spread_wait_sql
        case .status: PackageResources.status_sql
        case .stuckCommits: PackageResources.stuck_commits_sql
        case .templates: PackageResources.templates_sql
        case .touchedSince: PackageResources.touched_since_sql
        case .versions: PackageResources.versions_sql
        case .waitingSpreads: PackageResources.waiting_spreads_sql
        case .wakeUsers: PackageResources.wake_users_sql
        case .withdrawIntent: PackageResources.withdraw_intent_sql
        }
    }
}
