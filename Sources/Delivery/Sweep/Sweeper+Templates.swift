import Planning
import Postgres
import Store

/// What check-ins say: read where somebody is due, once after each look around, so that a change counts at once and an idle daemon asks nothing.
extension Sweeper {
    func readTemplates() async {
        guard !areTemplatesRead else { return }
        areTemplatesRead = true
        do throws(PostgresError) {
            let stored = try await store.templates()
            guard stored != templates else { return }
            templates = stored
            judge.words = CheckInWords(standard: judge.words.standard, templates: stored)
        } catch {
            // Words are no reason to keep a check-in back: the last known ones are sent.
            onEvent(.settlementFailed(error: error.description))
        }
    }
}
