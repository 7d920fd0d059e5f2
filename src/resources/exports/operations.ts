import { findWorkspace } from '#auth/workspaces/workspaces.ts'
import { may, viewerId } from '#core/actor.ts'
import { conflict, insufficientRole, notFound } from '#core/api-error.ts'
import type { JobPayload } from '#core/job.ts'
import type { DownloadOperation, Operation } from '#core/route.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { enqueueJob } from '#db/jobs/jobs.ts'
import { timestampOf } from '#lib/clock.ts'
import { DAY_MS } from '#lib/durations.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId } from '#lib/id.ts'
import type {
  createExport,
  Export,
  ExportStatus,
  getExportContent,
  listExports,
} from './internal.ts'
import { exportById, insertExport, latestExports, setExport } from './store.ts'

const LISTED_EXPORTS = 5
const MAX_DAILY_EXPORTS = 10
const ARCHIVE_CONTENT_TYPE = 'application/x-tar'

/** For owners alone: an archive holds private projects and the accounts of all members. */
export async function assertCanExport({ actor }: ReadTx): Promise<undefined> {
  if (!may(actor, 'own_workspace')) throw insufficientRole('Only owners can export the workspace.')
}

type LoadedExport = NonNullable<Awaited<ReturnType<typeof findExport>>>
const findExport = (tx: ReadTx, id: string) => tx.one(exportById, { id })

/** The archive that the URL names, while it can be downloaded. */
export async function loadReadyExport(tx: ReadTx, { params }: { params: { id: string } }) {
  await assertCanExport(tx)
  const row = await findExport(tx, params.id)
  if (!row?.file_id || row.status !== 'ready') throw notFound()
  if (row.expires_at !== null && row.expires_at <= tx.now) throw notFound()
  return { ...row, file_id: row.file_id }
}

const toExport = (row: LoadedExport): Export => {
  const { id, filename, size_bytes, progress, error, created_by_id, created_at, expires_at } = row
  const status = row.status as ExportStatus
  return {
    id,
    status,
    filename,
    size_bytes,
    progress,
    error,
    created_by_id,
    created_at,
    expires_at,
  }
}

export const list: Operation<typeof listExports> = async (tx) => ({
  data: (await tx.all(latestExports, { limit: LISTED_EXPORTS })).map(toExport),
})

/** Enqueues the making of an archive. */
const enqueueExport = (tx: WriteTx, export_id: string): Promise<string> =>
  enqueueJob(tx, { kind: 'export', key: export_id, payload: { export_id } })

/** Makes a failed export run again, for a job that makes its archive. */
export async function restartFailedExport(
  tx: WriteTx,
  { export_id: id = '' }: JobPayload,
): Promise<void> {
  const row = await findExport(tx, id)
  if (row?.status !== 'failed') throw notFound()
  await tx.run(setRestarted, { ...row, status: 'running', error: null, updated_at: tx.now })
}

const setRestarted = setExport(['status', 'error', 'updated_at'])

export const create: Operation<typeof createExport> = async (tx) => {
  const latest = await tx.all(latestExports, { limit: MAX_DAILY_EXPORTS })
  if (latest.some(({ status }) => status === 'running')) {
    throw conflict(
      'export_under_way',
      'The workspace is already being exported. Wait until that export has ended.',
    )
  }
  const tenth = latest[MAX_DAILY_EXPORTS - 1]
  if (tenth && tenth.created_at > timestampOf(tx.nowMs - DAY_MS)) {
    throw conflict(
      'limit_reached',
      `A workspace can be exported ${MAX_DAILY_EXPORTS} times within 24 hours. Download an archive that is ready, or try again later.`,
    )
  }
  const workspace = await findWorkspace(tx)
  const id = newId('exp', tx.nowMs)
  const name = foldCase(workspace?.name ?? '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
  await tx.run(insertExport, {
    id,
    created_by_id: viewerId(tx.actor),
    status: 'running',
    file_id: null,
    filename: `${name || 'workspace'}-${tx.now.slice(0, 10)}.docket.tar`,
    size_bytes: 0,
    sha256: null,
    progress: '',
    error: null,
    created_at: tx.now,
    updated_at: tx.now,
    expires_at: null,
  })
  await enqueueExport(tx, id)
  tx.audit('export.started', id, {})
  const created = await findExport(tx, id)
  if (!created) throw notFound()
  return toExport(created)
}

/** Names the file; the role of the actor is checked on every download. */
export const content: DownloadOperation<
  typeof getExportContent,
  Awaited<ReturnType<typeof loadReadyExport>>
> = async (_, { file_id, filename, size_bytes, sha256 }) => ({
  id: file_id,
  filename,
  content_type: ARCHIVE_CONTENT_TYPE,
  size_bytes,
  sha256: sha256 ?? '',
})
