import { hash } from 'node:crypto'
import type { AuditEntryRow } from './tables.ts'

/** Stands where the first entry of a chain would have the hash of the one before. */
export const BEGINNING = '0'.repeat(64)

/** Names the form that is hashed: another form gets another name, and old entries keep theirs. */
const FORM = 'docket-audit-1'

export type Unhashed = Omit<AuditEntryRow, 'hash'>

/** The hash of an entry that follows the one with the hash `previous`: lower-case hex. */
export const hashOfEntry = (previous: string, entry: Unhashed): string =>
  hash(
    'sha256',
    JSON.stringify([
      ...[FORM, previous, entry.workspace_id, entry.sequence, entry.at],
      ...[entry.actor_type, entry.actor_id, entry.credential_id],
      ...[entry.action, entry.subject_id, entry.details, entry.operation_id],
    ]),
  )
