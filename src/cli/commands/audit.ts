import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { notFound, validationFailed } from '#core/api-error.ts'
import type { ReadTx } from '#core/transaction.ts'
import { auditEntriesBefore, lastAuditSequence } from '#db/audit/audit-log.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { fieldError } from '#wire/field-error.ts'
import { Optional, SingleLineText } from '#wire/schema-builders.ts'
import { defineCommand } from '../arguments.ts'
import { systemActor } from '../installation.ts'

const MAX_LIMIT = 1_000
const DEFAULT_LIMIT = 50

const list = defineCommand({
  access: 'read',
  name: 'audit list',
  summary: 'List entries of the audit log, newest first',
  options: {
    workspace: Optional(
      SingleLineText(1, 64, {
        description: `Id of the workspace, or "${INSTALLATION_AUDIT_LOG}"`,
      }),
    ),
    before: Optional(SingleLineText(1, 15, { description: 'Only entries before this sequence' })),
    limit: Optional(
      SingleLineText(1, 4, {
        description: `Number of entries; default ${DEFAULT_LIMIT}, at most ${MAX_LIMIT}`,
      }),
    ),
  },
  async run({ storage }, { workspace = INSTALLATION_AUDIT_LOG, ...range }) {
    const before = parseWhole(range.before, 'before', Number.MAX_SAFE_INTEGER)
    const limit = Math.min(parseWhole(range.limit, 'limit', DEFAULT_LIMIT), MAX_LIMIT)
    return (await storage()).read(systemActor(workspace), async (tx) => {
      await assertLogExists(tx)
      const entries = await tx.all(auditEntriesBefore, { before, limit })
      return {
        data: entries.map(({ workspace_id: _, details, ...entry }) => {
          return { ...entry, details: JSON.parse(details) as object }
        }),
      }
    })
  },
})

export const auditCommands = [list]

/** A deleted workspace may still have a log, and a new one may have none yet. */
async function assertLogExists(tx: ReadTx): Promise<void> {
  if (tx.actor.workspace_id === INSTALLATION_AUDIT_LOG || (await findWorkspace(tx))) return
  if (!(await tx.one(lastAuditSequence, {}))) throw notFound()
}

function parseWhole(text: string | undefined, option: string, defaultValue: number): number {
  if (text === undefined) return defaultValue
  if (/^[1-9]\d*$/.test(text)) return Number(text)
  throw validationFailed(
    fieldError(option, 'invalid_value', 'must be a whole number of at least 1'),
  )
}
