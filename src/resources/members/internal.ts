import { endpoint } from '#wire/endpoint.ts'
import { Body, Fields, Id, OneOf, Optional } from '#wire/schema.ts'
import { Member, ROLES } from './contract.ts'

const OneMember = Fields({ id: Id('usr') })

export const updateMember = endpoint({
  method: 'PATCH',
  path: '/internal/members/:id',
  scope: 'session',
  limit: 'session',
  tag: 'Members',
  summary: 'Give a member another role',
  params: OneMember,
  body: Body({ role: Optional(OneOf(ROLES)) }, Member),
  reply: Member,
})

export const deleteMember = endpoint({
  method: 'DELETE',
  path: '/internal/members/:id',
  scope: 'session',
  limit: 'session',
  tag: 'Members',
  summary: 'End a membership; or leave',
  params: OneMember,
})
