import Base
import Systemd

extension ConfigurationAssembler {
    private typealias Key = ConfigurationKey

    /// Whether the command sends pushes. People who run other commands may not have the right to read the key.
    private var sends: Bool { needs.contains(.apns) }

    /// The lanes: the main app's, then those of `apns.apps`. Each has a signing key or inherits one. Nil: one fails.
    mutating func assembleLanes() -> [Configuration.Lane]? {
        var main = values
        let isGiven = Self.isKeyGiven(main)
        let key = ownKey(&main)
        if let keyID = main.text("apns.keyId") { brought[keyID] = (main, key) }
        if !isGiven, file.isRead, sends {
            let path = "write the path of the .p8 file as privateKeyFile in \(file.path)"
            let remedy = "\(Self.folder), or \(path), or set APNS_PRIVATE_KEY_FILE or APNS_PRIVATE_KEY"
            main.report(Key.signingKey, "it is missing, and so is apns.privateKeyFile", remedy)
        }
        var lanes = [lanes(&main, key)]
        values = main
        for entry in file.apps {
            var app = EffectiveValues(entry, over: values)
            checkTeam(&app)
            let key = appKey(&app)
            lanes.append(self.lanes(&app, key))
            apps.append(app)
        }
        let whole = lanes.compactMap(\.self)
        return whole.count == lanes.count ? whole.flatMap(\.self) : nil
    }

    private mutating func lanes(_ app: inout EffectiveValues, _ key: Secret?) -> [Configuration.Lane]? {
        if sends, app.has("apns.caFile"), !app.inherits("apns.caFile"), let path = app.draft.lane.caFile {
            // Others must not choose which servers are trusted.
            do throws(SystemdError) { _ = try ProtectedFile(reading: path, limit: 8 << 20) } catch {
                app.report(error, "apns.caFile")
            }
        }
        guard app.has("apns.bundleId"), !app.isWrong("apns.environment") else { return nil }
        checkPairs(&app)
        guard app.has("apns.teamId", "apns.keyId"), let key else { return nil }
        return app.draft.environments.map { environment in
            var lane = app.draft.lane
            lane.environment = environment
            lane.privateKey = key
            return lane
        }
    }

    /// A device's row names only environment and topic. So each pair must belong to one lane.
    private mutating func checkPairs(_ app: inout EffectiveValues) {
        let bundleID = app.draft.lane.bundleID
        let pairs = app.draft.environments.map { [$0.rawValue, bundleID] }
        guard let pair = pairs.first(where: { taken[$0] != nil }), let other = taken[pair] else {
            for pair in pairs { taken[pair] = app.app?.name ?? "apns" }
            return
        }
        let what = "\(other) has \(bundleID) in \(pair[0]) already"
        let remedy = "give it another bundleId or another environment, or remove the entry"
        if let own = ["apns.bundleId", "apns.environment"].first(where: { !app.inherits($0) }) {
            app.report(own, what, remedy)
        } else if let entry = app.app, !entry.isUnclear {
            app.problems.append(.init(source: entry.source, key: entry.name, what: what, remedy: remedy))
        }
    }

    /// A key belongs to one team (Apple, "Establishing a token-based connection to APNs"). Apple checks that.
    private func checkTeam(_ app: inout EffectiveValues) {
        guard app.inherits("apns.keyId"), app.has("apns.teamId"), values.has("apns.teamId"),
            app.draft.lane.teamID != values.draft.lane.teamID
        else { return }
        let remedy = "add the keyId of a key of this team, and its privateKeyFile"
        app.report("apns.teamId", "it is not apns.teamId, but the key belongs to that team", remedy)
    }

    private static func isKeyGiven(_ app: EffectiveValues) -> Bool {
        app.isGiven(Key.signingKey) || app.isGiven(Key.signingKeyFile)
    }

    /// The entry's own key, from the file or a source that its id names. Else an earlier app's of the same id.
    private mutating func appKey(_ app: inout EffectiveValues) -> Secret? {
        guard let keyID = app.text("apns.keyId") else { return nil }
        if sends, !app.inherits("apns.keyId") {
            guard let layers = outside.signingKey(keyID, of: &app) else { return nil }
            for layer in layers { app.take(layer) }
        }
        let above = brought[keyID]
        guard Self.isKeyGiven(app) else {
            guard let above else {
                reportMissing(&app, keyID)
                return nil
            }
            for key in Key.signingKeys { app.inherit(key.name, from: above.values) }
            return above.key
        }
        let key = ownKey(&app)
        guard let above else {
            brought[keyID] = (app, key)
            return key
        }
        if let key, let other = above.key, !Self.isSame(key, other) {
            let what = "\(above.values.app?.name ?? "apns") gives another key for the same keyId \(keyID)"
            let name = app.has(Key.signingKey) ? Key.signingKey : Key.signingKeyFile
            app.report(name, what, "add this key's own keyId, or remove the key")
        }
        return key
    }

    /// From the stronger source of `apns.privateKey` and `apns.privateKeyFile`. Equally strong ones are an error.
    private func ownKey(_ app: inout EffectiveValues) -> Secret? {
        let (text, path) = (Key.signingKey, Key.signingKeyFile)
        if app.isGiven(text), app.isGiven(path) {
            guard app.source(text).rank != app.source(path).rank else {
                app.report(path, "\(app.shownName(text)) is given too", "keep one of them")
                return nil
            }
            app.drop(app.source(text).rank < app.source(path).rank ? text : path)
        }
        guard sends else { return nil }
        if app.has(text) { return checked(app.draft.lane.privateKey, &app, text) }
        guard app.has(path), let keyFile = app.draft.keyFile else { return nil }
        do throws(SystemdError) {
            return checked(try Credentials.readKeyFile(keyFile), &app, path)
        } catch {
            app.report(error, path)
            return nil
        }
    }

    private func checked(_ key: Secret, _ app: inout EffectiveValues, _ name: String) -> Secret? {
        do {
            try checks.key(key)
            return key
        } catch {
            let fault = error as? ConfigurationFault
            let remedy = fault?.remedy ?? "use the .p8 file of an APNs key from Apple's developer site"
            app.report(name, fault?.what ?? "\(error)", remedy)
            return nil
        }
    }

    private func reportMissing(_ app: inout EffectiveValues, _ keyID: String) {
        // If the id is inherited, the main app's missing key is reported already.
        guard file.isRead, sends, !app.inherits("apns.keyId") else { return }
        let variables = Key.signingKeys.map { $0.environmentName(forKeyID: keyID) }.joined(separator: " or ")
        let path = "write the path of its .p8 file as privateKeyFile beside the keyId"
        let credential = "let systemd pass the key (LoadCredential=apns.privateKey.\(keyID):FILE)"
        let remedy = "\(path), or set \(variables), or \(credential)"
        let (source, name) = (app.source("apns.keyId"), app.shownName(Key.signingKey))
        app.problems.append(.init(source: source, key: name, what: "the key \(keyID) is not given", remedy: remedy))
    }

    /// Compared without white space: a file ends in a newline, a variable may not.
    private static func isSame(_ left: Secret, _ right: Secret) -> Bool {
        left.withBytes { left in
            right.withBytes { right in
                left.lazy.filter { $0 > 0x20 }.elementsEqual(right.lazy.filter { $0 > 0x20 })
            }
        }
    }
}
