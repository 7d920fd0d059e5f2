import { bumpAuthVersion } from '#auth/auth-version.ts'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { openStore } from '#db/installation/open-store.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { TEST_SECRET } from '../../system/test-secret.ts'

/** The writes that this process performs; it reports the id of each committed one to its parent. */
export interface AuditWriterTask {
  databaseUrl: string
  dataDir: string
  workspaces: readonly string[]
  each: number
  name: string
}

/**
 * Writes to the audit log in two ways: like sign-ins, which run outside of a workspace and append
 * to a workspace's log, and like operations within one. Some hold locks on other rows, too.
 */
process.on('message', async (auditing: AuditWriterTask) => {
  const { databaseUrl, dataDir, workspaces, each, name } = auditing
  const { storage } = await openStore(
    parseConfig({
      DOCKET_DATA_DIR: dataDir,
      DOCKET_SECRET: TEST_SECRET,
      DOCKET_DATABASE_URL: databaseUrl,
    }),
  )
  const writes = Array.from({ length: each }, async (_, at) => {
    const workspace_id = workspaces[at % workspaces.length] ?? ''
    const id = `ses_${name}_${at}`
    const actor = at % 3 === 0 ? createUserActor('usr_1') : { ...ANONYMOUS_ACTOR, workspace_id }
    await storage.write(actor, async (tx) => {
      if (at % 5 === 0)
        tx.audit('password.changed', id, { sessions_ended: 0 }, INSTALLATION_AUDIT_LOG)
      const details = { user_id: 'usr_1', by: null, factors: 1, address: null } as const
      tx.audit('session.created', id, details, workspace_id)
      // In one process only: otherwise the lock on this row alone would serialize all processes.
      if (name === 'one') await bumpAuthVersion(tx)
    })
    process.send?.(id)
  })
  await Promise.all(writes)
  // Its parent kills it, however late.
  if (name === 'killed') return
  await storage.close()
  process.exit(0)
})
