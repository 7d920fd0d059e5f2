import { lowerPriority } from '../create-backup.ts'
import { openBackupTarget } from '../targets/backup-target.ts'
import type { BackupMessage, BackupTask } from './run-backup.ts'

const PROGRESS_INTERVAL_MS = 1_000

lowerPriority()
// A terminal signals all processes of a group; the parent stops this one when it has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
// Without its parent, nobody would wait for the backup, and another process may make one.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.once('message', (task: BackupTask) => void run(task))

async function run({ place, name, content }: BackupTask): Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (progress: string) => {
    const now = performance.now()
    if (now - reportedAt < PROGRESS_INTERVAL_MS) return
    reportedAt = now
    const message: BackupMessage = { progress }
    process.send?.(message)
  }
  try {
    const target = openBackupTarget(place, content.location.dataDir)
    end({ stored: await target.store(name, content, report) })
  } catch (error) {
    end({ error: error instanceof Error ? error.message : String(error) })
  }
}

/** Sends the result; the process ends once it has been sent. */
function end(message: BackupMessage): void {
  process.removeAllListeners('disconnect')
  process.send?.(message, () => process.disconnect?.())
}
