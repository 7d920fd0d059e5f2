import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/transaction.ts'
import { toListOrder, toPageWindow } from '#db/core/pagination.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import type { getProject, listProjects } from './contract.ts'
import { loadProjectRecord, toPrefix } from './load.ts'
import { selectProjects } from './store.ts'

const SORTED_BY: Record<string, string | null> = {
  created_at: null,
  updated_at: 'projects.updated_at',
  name: 'projects.name_key',
}

export const list: Operation<typeof listProjects> = async (tx, _, { query, page }) => {
  const { status, q, lead_id, updated_since } = query
  const order = toListOrder(page, SORTED_BY[page.sort] ?? null)
  const has = {
    status: status !== undefined,
    words: q !== undefined,
    lead_id: lead_id !== undefined,
    updated_since: updated_since !== undefined,
  }
  const rows = await tx.all(selectProjects({ order, has }), {
    ...toPageWindow(page),
    status: status ?? '',
    words: extractSearchWords(q ?? ''),
    prefix: toPrefix((q ?? '').trim()),
    lead_id: lead_id ?? '',
    updated_since: updated_since ?? '',
  })
  return page.toPage(rows)
}

export const loadProjectByParams = (tx: ReadTx, { params }: { params: { id: string } }) =>
  loadProjectRecord(tx, params.id)

export const get: Operation<
  typeof getProject,
  Awaited<ReturnType<typeof loadProjectRecord>>
> = async (_, project) => project
