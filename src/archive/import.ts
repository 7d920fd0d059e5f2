import { type Actor, NOBODY, type Plan } from '#core/actor.ts'
import { conflict, workspaceFull } from '#core/refusal.ts'
import type { ReadTx, Storage } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import { newTwinKey, twinOf } from '#lib/id.ts'
import { isOurs } from '#storage/files.ts'
import { beginImport, importOf } from '#storage/imports.ts'
import { clearAbandoned, endSilentImports, giveUpImport } from '#upkeep/imports.ts'
import { type Filled, fill } from './fill.ts'
import { keeping, untilOf } from './keeping.ts'
import type { Lines } from './lines.ts'
import { openArchive } from './open.ts'
import { applicationAmong, insertWorkspace, projectAmong } from './put.ts'
import { eachBatch, type Verified, verify } from './verify.ts'

/** What an import is to be, beyond the archive. */
export interface ImportWanted {
  from: string
  /** Another name or plan than the workspace had. */
  name?: string | undefined
  plan?: Plan | undefined
  told(what: string): void
}

/** A workspace that was imported. */
export interface Imported extends Filled {
  workspace_id: string
  name: string
  /** `new` where those of the archive are taken on this installation. */
  ids: 'kept' | 'new'
  made_at: string
}

/**
 * Makes a workspace of an archive. Everything is looked at before anything is written; then rows come
 * in transactions of bounded size into a workspace in which nobody is a member yet, and people are let
 * in by the last of them. What fails or is killed on the way is taken away again.
 */
export async function importWorkspace(
  storage: Storage,
  files: Files,
  wanted: ImportWanted,
): Promise<Imported> {
  const archive = await openArchive(wanted.from)
  try {
    const verified = await verify(archive, wanted.told)
    const fresh = await freshKey(storage, files, verified)
    const { id } = verified.workspace
    const workspace_id = fresh === undefined ? id : twinOf(id, fresh)
    const actor = { ...NOBODY, workspace_id }
    const { name } = await begin(storage, actor, verified, wanted)
    try {
      const filled = await keeping(storage, actor, (step) =>
        fill({ step, files, actor, verified, fresh, told: wanted.told }),
      )
      const ids = fresh === undefined ? 'kept' : 'new'
      return { workspace_id, name, ids, made_at: archive.manifest.made_at, ...filled }
    } catch (error) {
      await storage.write(actor, giveUpImport)
      await clearAbandoned(storage, files, workspace_id)
      throw error
    }
  } finally {
    await archive.close()
  }
}

/** What ids are made new with, where one of the archive is taken here; undefined: they stay. */
async function freshKey(
  storage: Storage,
  files: Files,
  verified: Verified,
): Promise<string | undefined> {
  const actor = { ...NOBODY, workspace_id: verified.workspace.id }
  await endSilentImports(storage)()
  if (!(await clearAbandoned(storage, files, actor.workspace_id))) {
    const message = 'What this workspace left here is still taken away: try again in ten minutes.'
    throw conflict('workspace_going', message)
  }
  if (await storage.read(actor, (tx) => tx.one(importOf, {}))) {
    const message =
      'This workspace is imported now, or was when it was killed: try again in a minute.'
    throw conflict('import_under_way', message)
  }
  const isTaken = await storage.read(actor, (tx) => tx.one(isOurs, {}))
  if (isTaken || (await anyTaken(storage, verified))) return newTwinKey()
  return undefined
}

async function anyTaken(storage: Storage, { archive }: Verified): Promise<boolean> {
  const asking = { projects: projectAmong, applications: applicationAmong } as const
  for (const part of ['projects', 'applications'] as const) {
    for await (const lines of eachBatch(archive, part)) {
      const ids = lines.map(({ id }) => id)
      const ask = (tx: ReadTx) => tx.one(asking[part], { ids })
      if (await storage.read(NOBODY, ask)) return true
    }
  }
  return false
}

/** Makes the workspace, which is nobody's yet. */
async function begin(
  storage: Storage,
  actor: Actor,
  { workspace, census }: Verified,
  { name = workspace.name, plan = workspace.plan }: ImportWanted,
): Promise<Pick<Lines['workspace'], 'name' | 'plan'>> {
  const { timezone, created_at, updated_at, last_sequence, log_from_sequence } = workspace
  await storage.write(actor, async (tx) => {
    if (census.bytes > tx.settings.workspaceAttachmentBytes) throw workspaceFull()
    await tx.run(insertWorkspace, {
      ...{ name, plan, timezone, created_at, updated_at, last_sequence, log_from_sequence },
      // Nothing of what happened elsewhere is sent from here.
      fanned_out_sequence: last_sequence,
      attachment_bytes: census.bytes,
    })
    await tx.run(beginImport, { until: untilOf(tx) })
  })
  return { name, plan }
}
