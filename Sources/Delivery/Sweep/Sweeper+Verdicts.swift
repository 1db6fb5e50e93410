import APNs
import Postgres
import Store
import TimeZones

extension Sweeper {
    /// Devices that Apple refuses, by the verdict on a window of answers. Called on the sender's threads.
    nonisolated func condemn(_ tokens: [RefusedToken], of chunk: Chunk) {
        openVerdicts.withLock { $0 += 1 }
        Task {
            await quarantine(tokens, of: chunk)
            openVerdicts.withLock { $0 -= 1 }
            await wake()
        }
    }

    /// Tries for as long as a settlement would be; what is not written is answered the same again.
    private func quarantine(_ tokens: [RefusedToken], of chunk: Chunk) async {
        let now = clock.now ?? chunk.attemptedAt
        let devices = chunk.devices(tokens, at: max(now, chunk.attemptedAt + 1))
        var attempt = 0
        while !isAbandoned {
            do throws(PostgresError) {
                try await store.quarantine(devices, now: now)
                for device in devices { onEvent(.quarantined(device)) }
                return
            } catch {
                attempt += 1
                onEvent(.settlementFailed(error: error.description))
                if !error.isTransient, attempt >= 3 { return }
                try? await Task.sleep(for: .milliseconds(min(5000, 100 << min(attempt, 6))))
            }
        }
    }

    /// Judges the refused devices of all lanes by what has come so far. False where none waits for it.
    package func concludeWindows() async -> Bool {
        let hadSome = lanes.all.map { $0.sender.concludeWindow() }.contains(true)
        await quiesce()
        return hadSome
    }
}
