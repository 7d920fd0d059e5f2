import { sql } from 'kysely'
import { defineArchivePart, defineRecord, NullableTimestamp, UserId } from '#resources/noun.ts'
import { EmailAddress, SingleLineText, StrictObject, Timestamp } from '#wire/schema-builders.ts'
import { Member } from './contract.ts'
import { visibleMemberJson } from './store.ts'

export const memberRecord = defineRecord('member', {
  schema: Member,
  events: {
    added: 'Somebody joined the workspace.',
    updated: 'A member got another role, name, email address or picture.',
    removed: 'Somebody left the workspace, or was removed.',
  },
  table: 'memberships',
  idPrefix: 'usr',
  rank: 1,
  of: 'workspace',
  json: visibleMemberJson,
})

const { avatar_url, timezone, locale, role } = Member.properties

export const archivedMembers = defineArchivePart({
  line: StrictObject({
    id: UserId,
    email: EmailAddress(),
    name: SingleLineText(1, 100),
    avatar_url,
    timezone,
    locale,
    role,
    joined_at: Timestamp(),
    removed_at: NullableTimestamp,
    last_active_at: NullableTimestamp,
  }),
  table: 'memberships',
  from: sql`memberships join users on users.id = memberships.user_id`,
  key: ['memberships.user_id'],
  renamed: {
    id: 'memberships.user_id',
    role: 'memberships.role',
    joined_at: 'memberships.joined_at',
    removed_at: 'memberships.removed_at',
    last_active_at: 'memberships.last_active_at',
  },
})
