import type { Operation } from '#core/route.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { wordsOf } from '#lib/words.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { ActedOn } from './acting.ts'
import type { listMembers } from './contract.ts'
import type { deleteMember, updateMember } from './internal.ts'
import { changeRole, removeMember } from './membership.ts'
import { membersWhere } from './store.ts'

const SORTED_BY = { joined_at: 'memberships.joined_at', name: 'memberships.name_key' }

export const list: Operation<typeof listMembers> = async (tx, _, { query, page }) => {
  const { role, status = 'active', q } = query
  const order = orderOf(page, page.sort === 'name' ? SORTED_BY.name : SORTED_BY.joined_at)
  const has = { role: role !== undefined, q: q !== undefined }
  const rows = await tx.all(membersWhere({ order, status, has }), {
    ...windowOf(page),
    role: role ?? [],
    words: wordsOf(q ?? ''),
    email: (q ?? '').trim().toLowerCase(),
    project_id: '',
  })
  return page.cut(rows)
}

export const update: Operation<typeof updateMember, ActedOn> = async (tx, member, { body }) => {
  const { role = member.role } = body
  const changed = await changeRole(tx, member, role)
  if (role !== member.role) await advanceGeneration(tx)
  return changed.json
}

export const remove: Operation<typeof deleteMember, ActedOn> = async (tx, { id }) => {
  await removeMember(tx, id)
  await advanceGeneration(tx)
}
