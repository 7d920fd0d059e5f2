import { endpoint } from '#wire/endpoint.ts'
import { ROLES } from '#wire/rights.ts'
import { Id, Optional, RequestBody, StrictObject, StringEnum } from '#wire/schema-builders.ts'
import { Member } from './contract.ts'

const MemberParams = StrictObject({ id: Id('usr') })

export const updateMember = endpoint({
  method: 'PATCH',
  path: '/internal/members/:id',
  grantsLastingAccess: true,
  scope: 'session',
  limit: 'access',
  tag: 'Members',
  summary: 'Change the role of a member',
  params: MemberParams,
  body: RequestBody({ role: Optional(StringEnum(ROLES)) }, Member),
  reply: Member,
})

export const deleteMember = endpoint({
  method: 'DELETE',
  path: '/internal/members/:id',
  grantsLastingAccess: false,
  scope: 'session',
  limit: 'session',
  tag: 'Members',
  summary: 'Remove a member, or leave',
  params: MemberParams,
})
