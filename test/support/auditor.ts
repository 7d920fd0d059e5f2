import { NOBODY, personally } from '#core/actor.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { openStore } from '#storage/open.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { configFrom } from '../../src/config.ts'
import { SECRET } from './process.ts'

/** What a process is to write, and how often: it tells which acts were committed. */
export interface Auditing {
  databaseUrl: string
  dataDir: string
  workspaces: readonly string[]
  each: number
  name: string
}

/**
 * Writes to the audit log as sign-ins do, which are of no workspace and add to the chain of one, and as
 * operations within workspaces do; some hold other rows, too.
 */
process.on('message', async (auditing: Auditing) => {
  const { databaseUrl, dataDir, workspaces, each, name } = auditing
  const { storage } = await openStore(
    configFrom({
      DOCKET_DATA_DIR: dataDir,
      DOCKET_SECRET: SECRET,
      DOCKET_DATABASE_URL: databaseUrl,
    }),
  )
  const writes = Array.from({ length: each }, async (_, at) => {
    const workspace_id = workspaces[at % workspaces.length] ?? ''
    const id = `ses_${name}_${at}`
    const actor = at % 3 === 0 ? personally('usr_1') : { ...NOBODY, workspace_id }
    await storage.write(actor, async (tx) => {
      if (at % 5 === 0) tx.audit('password.changed', id, { sessions_ended: 0 }, INSTALLATION)
      tx.audit('session.created', id, { user_id: 'usr_1', by: null, factors: 1 }, workspace_id)
      // One process only: else this row alone would make all of them wait for each other.
      if (name === 'one') await advanceGeneration(tx)
    })
    process.send?.(id)
  })
  await Promise.all(writes)
  await storage.close()
  process.exit(0)
})
