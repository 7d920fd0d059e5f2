import type { Actor } from '#core/actor.ts'
import { conflict } from '#core/api-error.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { extendWorkspaceImport } from '#db/workspaces/workspace-imports.ts'
import { timestampOf } from '#lib/clock.ts'

/** An import that has not renewed its lease for this long was killed. */
const LEASE_TTL_MS = 60_000
const RENEW_INTERVAL_MS = 15_000

export const importLeaseExpiry = ({ nowMs }: WriteTx): string => timestampOf(nowMs + LEASE_TTL_MS)

/** Runs a transaction of an import, which renews its lease first. */
export type ImportTransaction = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>

/**
 * Runs the work of an import and renews its lease meanwhile. Every transaction checks first whether
 * the import was given up, as after the machine slept for long: then nothing more is written.
 */
export async function withImportLease<T>(
  storage: Storage,
  actor: Actor,
  work: (runTransaction: ImportTransaction) => Promise<T>,
): Promise<T> {
  const runTransaction: ImportTransaction = (write) =>
    storage.write(actor, async (tx) => {
      if ((await tx.run(extendWorkspaceImport, { until: importLeaseExpiry(tx) })) === 0) {
        throw conflict('import_given_up', 'The import stalled for too long. Start it again.')
      }
      return write(tx)
    })
  let leaseError: unknown
  const timer = setInterval(() => {
    runTransaction(async () => {}).catch((error: unknown) => {
      leaseError = error
    })
  }, RENEW_INTERVAL_MS)
  try {
    const result = await work(async (write) => {
      if (leaseError !== undefined) throw leaseError
      return runTransaction(write)
    })
    return result
  } finally {
    clearInterval(timer)
  }
}
