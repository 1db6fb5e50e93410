import Delivery
import APNs
import Store

extension Engine {
    /// Ends at once: pushes in flight are cut off, and what is open stays open in the database. For who throws that away.
    package func cutOff() async {
        await pipeline.stop()
        pipeline.abandon()
        await store.close()
        await migrator.close()
        await lanes.drain(deadline: BootTime.milliseconds())
    }
}
