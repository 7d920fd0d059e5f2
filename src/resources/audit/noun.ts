import { Type } from 'typebox'
import { defineArchivePart } from '#resources/noun.ts'
import { StrictObject } from '#wire/schema-builders.ts'
import { AuditEntry } from './internal.ts'

const { subject_name: _, ...fields } = AuditEntry.properties
const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** `details` has no address of a client. The first format of archives had no such part. */
export const archivedAudit = defineArchivePart({
  line: StrictObject({ ...fields, details: AnyObject }),
  table: 'audit_entries',
  key: ['sequence'],
  json: ['details'],
})
