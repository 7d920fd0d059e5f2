import { conflict, insufficientRole, notFound } from '#core/refusal.ts'
import type { Operation } from '#core/route.ts'
import type { ReadTx } from '#core/tx.ts'
import { loadWorkspace } from '#identity/workspace.ts'
import { fold } from '#lib/fold.ts'
import { newId } from '#lib/id.ts'
import type { createExport, Export, getExportContent, listExports, State } from './internal.ts'
import { exportById, insertExport, latestExports } from './store.ts'

const LATEST = 5
const TYPE = 'application/x-tar'

/** An archive holds what private projects hold, and who is in the workspace: owners alone take it. */
export async function ownersOnly({ actor }: ReadTx): Promise<undefined> {
  if (actor.role !== 'owner') throw insufficientRole('Only owners export the workspace.')
}

type FoundExport = NonNullable<Awaited<ReturnType<typeof find>>>
const find = (tx: ReadTx, id: string) => tx.one(exportById, { id })

/** The archive that a URL names, as long as it can be downloaded. */
export async function loadReady(tx: ReadTx, { params }: { params: { id: string } }) {
  await ownersOnly(tx)
  const found = await find(tx, params.id)
  if (!found?.file_id || found.status !== 'ready') throw notFound()
  if (found.expires_at !== null && found.expires_at <= tx.now) throw notFound()
  return { ...found, file_id: found.file_id }
}

const shown = (found: FoundExport): Export => {
  const { id, filename, size_bytes, progress, error, created_by_id, created_at, expires_at } = found
  const status = found.status as State
  return {
    ...{ id, status, filename, size_bytes, progress, error, created_by_id, created_at, expires_at },
  }
}

export const list: Operation<typeof listExports> = async (tx) => ({
  data: (await tx.all(latestExports, { limit: LATEST })).map(shown),
})

export const create: Operation<typeof createExport> = async (tx) => {
  const latest = await tx.all(latestExports, { limit: LATEST })
  if (latest.some(({ status }) => status === 'running')) {
    throw conflict('export_under_way', 'An archive is being made already: wait for it.')
  }
  const workspace = await loadWorkspace(tx)
  const id = newId('exp', tx.instant)
  const name = fold(workspace?.name ?? '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
  await tx.run(insertExport, {
    ...{ id, created_by_id: tx.actor.user_id ?? '', status: 'running', file_id: null },
    filename: `${name || 'workspace'}-${tx.now.slice(0, 10)}.docket.tar`,
    ...{ size_bytes: 0, sha256: null, progress: '', error: null, runner: '', runner_until: '' },
    ...{ created_at: tx.now, updated_at: tx.now, expires_at: null },
  })
  tx.audit('export.started', id, {})
  const made = await find(tx, id)
  if (!made) throw notFound()
  return shown(made)
}

/** Where the bytes are; who asks is judged each time. */
export const content: Operation<
  typeof getExportContent,
  Awaited<ReturnType<typeof loadReady>>
> = async (_, { file_id, filename, size_bytes, sha256 }) => ({
  ...{ id: file_id, filename, content_type: TYPE, size_bytes, sha256: sha256 ?? '' },
})
