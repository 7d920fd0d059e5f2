import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BackupPlace, StoredBackup } from '../targets/backup-target.ts'
import type { BackupContent } from '../write-backup.ts'

/** A backup to make. */
export interface BackupTask {
  place: BackupPlace
  name: string
  content: BackupContent
}

/** What the process that makes a backup reports. */
export type BackupMessage = { progress: string } | { stored: StoredBackup } | { error: string }

/** Makes a backup. Rejects if there is none afterwards; stops when `signal` is aborted. */
export type RunBackupTask = (
  task: BackupTask,
  signal: AbortSignal,
  onProgress: (what: string) => void,
) => Promise<StoredBackup>

const ENTRY = fileURLToPath(new URL('./backup-process-main.ts', import.meta.url))

/**
 * Makes a backup in a process of its own with a low priority, so that neither hashing nor the check of
 * the copy holds up requests, and it can be killed at any point.
 */
export const runBackupProcess: RunBackupTask = (task, signal, onProgress) =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const child = fork(ENTRY, {
      execArgv: ['--max-semi-space-size=4'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const kill = () => child.kill('SIGKILL')
    signal.addEventListener('abort', kill, { once: true })
    child.on('message', (message: BackupMessage) => {
      if ('progress' in message) onProgress(message.progress)
      else if ('stored' in message) resolve(message.stored)
      else reject(new Error(message.error))
    })
    child.on('error', reject)
    child.on('exit', (code, killedBy) => {
      signal.removeEventListener('abort', kill)
      // Without effect if the result has arrived.
      reject(
        signal.aborted
          ? signal.reason
          : new Error(`The process that makes the backup has ended (${killedBy ?? code}).`),
      )
    })
    child.send(task)
  })
