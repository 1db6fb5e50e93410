import Base
import Core
import APNs

extension Engine {
    /// Ends at once: pushes in flight are cut off, and open intents stay in the database. Only for databases that are
    /// thrown away.
    package func cutOff() async {
        await pipeline.stop()
        pipeline.abandon()
        await store.close()
        await migrator.close()
        await lanes.drain(deadline: BootTime.milliseconds())
    }
}
