import { hash } from 'node:crypto'
import type { AuditEntryRow } from '../schema/tables.ts'

/** The previous hash of the first entry in a chain. */
export const AUDIT_CHAIN_GENESIS_HASH = '0'.repeat(64)

/** The version of the hashed format: a new format gets a new name, and old entries keep theirs. */
const HASH_FORMAT = 'docket-audit-1'

export type UnhashedAuditEntry = Omit<AuditEntryRow, 'hash'>

/** Hashes an entry together with the hash of the entry before it; lower-case hex. */
export const hashAuditEntry = (previous: string, entry: UnhashedAuditEntry): string =>
  hash(
    'sha256',
    JSON.stringify([
      HASH_FORMAT,
      previous,
      entry.workspace_id,
      entry.sequence,
      entry.at,
      entry.actor_type,
      entry.actor_id,
      entry.credential_id,
      entry.action,
      entry.subject_id,
      entry.details,
      entry.operation_id,
    ]),
  )
