import { ConfirmingPassword } from '#wire/confirming-password.ts'
import { endpoint } from '#wire/endpoint.ts'
import { Id, Optional, RequestBody, StrictObject, StringEnum } from '#wire/schema-builders.ts'
import { Member, ROLES } from './contract.ts'

const MemberParams = StrictObject({ id: Id('usr') })

export const updateMember = endpoint({
  method: 'PATCH',
  path: '/internal/members/:id',
  scope: 'session',
  limit: 'session',
  tag: 'Members',
  summary: 'Change the role of a member',
  params: MemberParams,
  description: 'A new owner needs a confirmation.',
  body: RequestBody(
    { role: Optional(StringEnum(ROLES)), current_password: ConfirmingPassword },
    Member,
  ),
  reply: Member,
})

export const deleteMember = endpoint({
  method: 'DELETE',
  path: '/internal/members/:id',
  scope: 'session',
  limit: 'session',
  tag: 'Members',
  summary: 'Remove a member, or leave',
  params: MemberParams,
})
