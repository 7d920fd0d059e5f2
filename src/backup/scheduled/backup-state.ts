import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import {
  ensureInstallationValue,
  replaceInstallationValue,
} from '#db/installation/installation-values.ts'
import { installationValue } from '#db/installation/open-store.ts'

/** What is known of the scheduled backups of an installation. All times are timestamps. */
export interface BackupState {
  /** When the first one was due. */
  since?: string
  /** The latest time of the schedule for which a backup was enqueued. */
  slot?: string
  /** The backup that is being made, and until when its process counts as alive. */
  running?: { holder: string; started_at: string; until: string }
  last_success?: BackupSuccess
  /** The attempts since the last success that have failed. */
  failure?: { since: string; at: string; attempts: number; reason: string; is_mailed: boolean }
  /** When an email about a failure was last sent. */
  failure_mailed_at?: string
}

/** A backup that was made and found to be sound. */
export interface BackupSuccess {
  name: string
  started_at: string
  ended_at: string
  bytes: number
  /** Attachments that were missing or damaged in the installation. */
  missing: number
}

/** In the table `installation`. */
const VALUE_NAME = 'backups'
/** Values for restored data: what it says of backups is about those of the original. */
export const NO_BACKUPS_VALUES = { [VALUE_NAME]: '{}' }
const MAX_TRIES = 20

/** Reads the state; empty if there never was a scheduled backup. */
export const loadBackupState = (storage: Storage): Promise<BackupState> =>
  storage.read(ANONYMOUS_ACTOR, async (tx) => parseState(await readValue(tx)))

const readValue = async (tx: ReadTx) =>
  (await tx.one(installationValue, { name: VALUE_NAME }))?.value

function parseState(text: string | undefined): BackupState {
  return text === undefined ? {} : (JSON.parse(text) as BackupState)
}

/**
 * Changes the state in a transaction, again if another process has changed it meanwhile. `change`
 * returns the new state, or undefined to leave it; what it writes is committed together.
 */
export async function updateBackupState<T>(
  storage: Storage,
  change: (tx: WriteTx, state: BackupState) => Promise<{ state?: BackupState; result: T }>,
): Promise<T> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await storage
      .write(ANONYMOUS_ACTOR, async (tx) => {
        const was = await readValue(tx)
        const { state, result } = await change(tx, parseState(was))
        if (state) await replaceState(tx, was, JSON.stringify(state))
        return { result }
      })
      .catch((error: unknown) => {
        if (error instanceof StateChanged) return undefined
        throw error
      })
    if (outcome) return outcome.result
  }
  throw new Error('The state of the backups changes all the time.')
}

/** Thrown to roll back a change that is based on an old state. */
class StateChanged extends Error {}

async function replaceState(tx: WriteTx, was: string | undefined, value: string): Promise<void> {
  const row = { name: VALUE_NAME, value }
  const changed =
    was === undefined
      ? await tx.run(ensureInstallationValue, row)
      : await tx.run(replaceInstallationValue, { ...row, was })
  if (changed === 0) throw new StateChanged()
}
