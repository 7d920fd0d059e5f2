import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { wordsOf } from '#lib/words.ts'
import { orderOf, windowOf } from '#storage/paged.ts'
import type { getProject, listProjects } from './contract.ts'
import { showProject } from './load.ts'
import { projectsWhere } from './store.ts'

const SORTED_BY: Record<string, string | null> = {
  created_at: null,
  updated_at: 'projects.updated_at',
  name: 'projects.name_key',
}

export const list: Operation<typeof listProjects> = async (tx, _, { query, page }) => {
  const { status, q, lead_id, updated_since } = query
  const order = orderOf(page, SORTED_BY[page.sort] ?? null)
  const has = {
    status: status !== undefined,
    words: q !== undefined,
    lead_id: lead_id !== undefined,
    updated_since: updated_since !== undefined,
  }
  const rows = await tx.all(projectsWhere({ order, has }), {
    ...windowOf(page),
    status: status ?? '',
    words: wordsOf(q ?? ''),
    prefix: (q ?? '').trim().toUpperCase(),
    lead_id: lead_id ?? '',
    updated_since: updated_since ?? '',
  })
  return page.cut(rows)
}

export const shownProject = (tx: ReadTx, { params }: { params: { id: string } }) =>
  showProject(tx, params.id)

export const get: Operation<typeof getProject, Awaited<ReturnType<typeof showProject>>> = async (
  _,
  project,
) => project
