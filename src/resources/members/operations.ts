import { bumpAuthVersion } from '#auth/auth-version.ts'
import type { Operation } from '#core/route.ts'
import type { WriteTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import type { Role } from '#wire/rights.ts'
import type { listMembers } from './contract.ts'
import type { TargetMember } from './load.ts'
import { changeRole } from './membership.ts'
import { selectMembers } from './store.ts'

const SORTED_BY = { joined_at: 'memberships.joined_at', name: 'memberships.name_key' }

export const list: Operation<typeof listMembers> = async (tx, _, { query, page }) => {
  const { role, status = 'active', q } = query
  const order = toListOrder(page, page.sort === 'name' ? SORTED_BY.name : SORTED_BY.joined_at)
  const has = { role: role !== undefined, q: q !== undefined }
  const rows = await tx.all(selectMembers({ order, status, has }), {
    ...toPageWindow(page),
    role: role ?? [],
    words: extractSearchWords(q ?? ''),
    email: (q ?? '').trim().toLowerCase(),
    project_id: '',
  })
  return page.toPage(rows)
}

/** Changes the role, if there is one to change. Returns the record as an owner sees it. */
export async function update(
  tx: WriteTx,
  member: TargetMember,
  { role = member.role }: { role?: Role | undefined },
) {
  const changed = await changeRole(tx, member, role)
  if (role !== member.role) await bumpAuthVersion(tx)
  return changed.json
}
