import type { Operation } from '#core/route.ts'
import { wordsOf } from '#lib/words.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { listMembers } from './contract.ts'
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
