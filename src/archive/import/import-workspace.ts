import { type Actor, ANONYMOUS_ACTOR, type Plan } from '#core/actor.ts'
import { conflict, workspaceStorageFull } from '#core/api-error.ts'
import type { ReadTx, Storage } from '#core/transaction.ts'
import { existingWorkspace } from '#db/retention/pending-file-deletions.ts'
import { recountStoredBytes } from '#db/workspaces/stored-bytes.ts'
import { markWorkspaceImporting, workspaceImportMark } from '#db/workspaces/workspace-imports.ts'
import type { Files } from '#files/files.ts'
import {
  abandonImport,
  abandonStalledImports,
  purgeAbandonedWorkspaceNow,
} from '#jobs/abandon-imports.ts'
import { newRemapKey, remapId } from '#lib/id.ts'
import type { ArchiveLines } from '../format/line-schemas.ts'
import { openArchive } from '../verify/open-archive.ts'
import { readLineBatches, type VerifiedArchive, verifyArchive } from '../verify/verify-archive.ts'
import { type FillResult, fillWorkspace } from './fill-workspace.ts'
import { importLeaseExpiry, withImportLease } from './import-lease.ts'
import { applicationWithAnyId, insertWorkspace, projectWithAnyId } from './insert-rows.ts'

/** The archive, and overrides for the new workspace. */
export interface ImportWorkspaceOptions {
  from: string
  /** Replaces the name or plan of the archived workspace. */
  name?: string | undefined
  plan?: Plan | undefined
  /** Whether this installation may be a copy of another one, which may use the same bucket. */
  isCopy(): Promise<boolean>
  onProgress(what: string): void
}

/** A workspace that was imported. */
export interface ImportedWorkspace extends FillResult {
  workspace_id: string
  name: string
  /** `new` if ids of the archive are already taken on this installation. */
  ids: 'kept' | 'new'
  made_at: string
}

/**
 * Imports a workspace from an archive. The whole archive is verified before anything is written.
 * Then transactions of bounded size write the rows into a workspace without active members, and the
 * last one activates the members. A failed or killed import is cleaned up.
 */
export async function importWorkspace(
  storage: Storage,
  files: Files,
  options: ImportWorkspaceOptions,
): Promise<ImportedWorkspace> {
  const archive = await openArchive(options.from)
  try {
    const verified = await verifyArchive(archive, options.onProgress)
    const twinKey = await newKeyIfTaken(storage, files, verified, options)
    const { id } = verified.workspace
    const workspace_id = twinKey === undefined ? id : remapId(id, twinKey)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const { name } = await createWorkspace(storage, actor, verified, options)
    try {
      const filled = await withImportLease(storage, actor, (runTransaction) =>
        fillWorkspace({
          runTransaction,
          files,
          actor,
          verified,
          twinKey,
          isCopy: options.isCopy,
          onProgress: options.onProgress,
        }),
      )
      await recountStoredBytes(storage, workspace_id)
      const ids = twinKey === undefined ? 'kept' : 'new'
      return { workspace_id, name, ids, made_at: archive.manifest.made_at, ...filled }
    } catch (error) {
      await storage.write(actor, abandonImport)
      await purgeAbandonedWorkspaceNow(storage, files, workspace_id, options.isCopy)
      throw error
    }
  } finally {
    await archive.close()
  }
}

/** A key for new ids if one of the archive is taken here; undefined if all ids can be kept. */
async function newKeyIfTaken(
  storage: Storage,
  files: Files,
  verified: VerifiedArchive,
  { isCopy }: ImportWorkspaceOptions,
): Promise<string | undefined> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id: verified.workspace.id }
  await abandonStalledImports(storage)()
  if (!(await purgeAbandonedWorkspaceNow(storage, files, actor.workspace_id, isCopy))) {
    const message =
      'The previous data of this workspace is still being removed. Try again in ten minutes; a restored, copied or paused installation removes it after docket webhook resume.'
    throw conflict('workspace_going', message)
  }
  if (await storage.read(actor, (tx) => tx.one(workspaceImportMark, {}))) {
    const message =
      'Another import of this workspace is running, or was interrupted. Try again in a minute.'
    throw conflict('import_under_way', message)
  }
  const isTaken = await storage.read(actor, (tx) => tx.one(existingWorkspace, {}))
  if (isTaken || (await isAnyIdTaken(storage, verified))) return newRemapKey()
  return undefined
}

async function isAnyIdTaken(storage: Storage, { archive }: VerifiedArchive): Promise<boolean> {
  const queries = { projects: projectWithAnyId, applications: applicationWithAnyId } as const
  for (const part of ['projects', 'applications'] as const) {
    for await (const lines of readLineBatches(archive, part)) {
      const ids = lines.map(({ id }) => id)
      const find = (tx: ReadTx) => tx.one(queries[part], { ids })
      if (await storage.read(ANONYMOUS_ACTOR, find)) return true
    }
  }
  return false
}

/** Creates the workspace, which has no members yet. */
async function createWorkspace(
  storage: Storage,
  actor: Actor,
  { workspace, index }: VerifiedArchive,
  { name = workspace.name, plan = workspace.plan }: ImportWorkspaceOptions,
): Promise<Pick<ArchiveLines['workspace'], 'name' | 'plan'>> {
  const { timezone, created_at, updated_at, last_sequence, log_from_sequence } = workspace
  await storage.write(actor, async (tx) => {
    if (index.attachmentBytes > tx.settings.workspaceAttachmentBytes) throw workspaceStorageFull()
    await tx.run(insertWorkspace, {
      name,
      plan,
      timezone,
      created_at,
      updated_at,
      last_sequence,
      log_from_sequence,
      // Webhooks get no events from before the import.
      fanned_out_sequence: last_sequence,
      attachment_bytes: index.attachmentBytes,
    })
    await tx.run(markWorkspaceImporting, { until: importLeaseExpiry(tx) })
  })
  return { name, plan }
}
