import struct FoundationEssentials.UUID
import Postgres

/// An intent's devices as parallel lists, put together in one walk: a walk for each list would count the references of every device each time.
struct IntentColumns {
    private var users: [UUID] = []
    private var kinds: [String] = []
    private var keys: [String] = []
    private var slots: [Int32?] = []
    private var hashes: [String] = []
    private var apnsIDs: [UUID] = []
    private var retries: [String?] = []
    private var areCounted: [Bool] = []
    private var nudges: [Int16] = []
    private var ends: [Bool] = []
    private var templates: [Int32?] = []
    private let records: String?

    init(_ intent: Intent) {
        records = DeliveryRecord.json(intent.records)
        let count = intent.entries.reduce(0) { $0 + $1.devices.count }
        users.reserveCapacity(count)
        kinds.reserveCapacity(count)
        keys.reserveCapacity(count)
        slots.reserveCapacity(count)
        hashes.reserveCapacity(count)
        apnsIDs.reserveCapacity(count)
        retries.reserveCapacity(count)
        areCounted.reserveCapacity(count)
        nudges.reserveCapacity(count)
        ends.reserveCapacity(count)
        templates.reserveCapacity(count)
        for entry in intent.entries {
            for device in entry.devices {
                users.append(entry.userID)
                kinds.append(device.kind)
                keys.append(device.key)
                slots.append(device.slot?.days)
                hashes.append(device.deviceHash)
                apnsIDs.append(device.apnsID)
                retries.append(entry.retry)
                areCounted.append(device.isCounted)
                nudges.append(device.nudge)
                ends.append(device.ends)
                templates.append(device.template)
            }
        }
    }

    /// In the order of intent.sql, from the devices' users on.
    var parameters: [Parameter] {
        [
            .uuidArray(users), .textArray(kinds), .textArray(keys), .dateArray(slots), .textArray(hashes),
            .uuidArray(apnsIDs), .textArray(retries), .boolArray(areCounted), .int2Array(nudges), .boolArray(ends),
            records.map(Parameter.json) ?? .null(.jsonb), .int4Array(templates),
        ]
    }
}
