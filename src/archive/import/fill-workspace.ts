import { bumpAuthVersion } from '#auth/auth-version.ts'
import type { Actor } from '#core/actor.ts'
import { ApiError, conflict } from '#core/api-error.ts'
import type { WriteTx } from '#core/transaction.ts'
import { endWorkspaceImport } from '#db/workspaces/workspace-imports.ts'
import { type Files, fileKey } from '#files/files.ts'
import { partFilename } from '../format/archive-manifest.ts'
import type { ArchiveLines, ArchivePart } from '../format/line-schemas.ts'
import { archiveDamaged } from '../verify/open-archive.ts'
import { readLineBatches, type VerifiedArchive } from '../verify/verify-archive.ts'
import { createIdMapping } from './id-mapping.ts'
import type { ImportTransaction } from './import-lease.ts'
import { activateMembers } from './insert-rows.ts'
import { joinMembers } from './join-members.ts'
import { LINE_LOADERS, type LoadContext, linkTasks } from './line-loaders.ts'

/** The target workspace and its source. */
export interface FillContext {
  runTransaction: ImportTransaction
  files: Files
  actor: Actor
  verified: VerifiedArchive
  /** The key from which new ids are derived; undefined if the ids of the archive are kept. */
  twinKey: string | undefined
  isCopy(): Promise<boolean>
  onProgress(what: string): void
}

/** Counts for the result: people with and without an earlier account, lines by part, and files. */
export interface FillResult {
  people: { known: number; made: number }
  lines: Record<ArchivePart, number>
  files: { here: number; lost: number }
}

/** Fills a workspace that nobody can see yet. The last transaction activates its members. */
export async function fillWorkspace(context: FillContext): Promise<FillResult> {
  const { runTransaction, verified, twinKey, onProgress } = context
  const { archive, index } = verified
  const people = new Map<string, string>()
  let withAccount = 0
  await writeBatches(
    'members',
    async (tx, lines) => joinMembers(tx, lines),
    (joined) => {
      for (const one of joined) {
        if (one.userId !== one.archiveUserId) people.set(one.archiveUserId, one.userId)
        if (one.hadAccount) withAccount += 1
      }
    },
  )
  const loading: LoadContext = { index, ids: createIdMapping(index.ids, people, twinKey) }
  for (const { part } of archive.manifest.parts) {
    if (part === 'workspace' || part === 'members' || part === 'applications') continue
    await loadPart(part)
    if (part === 'tasks') await writeBatches(part, (tx, lines) => linkTasks(tx, lines, loading))
  }
  const here = await storeFiles(context, loading)
  const applications = (await Array.fromAsync(readLineBatches(archive, 'applications'))).flat()
  await runTransaction(async (tx) => {
    // Applications come last: any user may be asked for consent by one as soon as it exists.
    await LINE_LOADERS.applications(tx, applications, loading)
    await tx.run(activateMembers, {})
    await tx.run(endWorkspaceImport, {})
    await bumpAuthVersion(tx)
    tx.audit('workspace.imported', tx.actor.workspace_id, {})
  })
  const lines = Object.fromEntries(
    archive.manifest.parts.map((one) => [one.part, one.lines]),
  ) as Record<ArchivePart, number>
  const made = lines.members - withAccount
  const lost = index.lostFiles
  return { people: { known: withAccount, made }, lines, files: { here, lost } }

  function loadPart<P extends keyof typeof LINE_LOADERS>(part: P): Promise<void> {
    return writeBatches(part, (tx, lines) => LINE_LOADERS[part](tx, lines, loading))
  }

  /** Writes the lines of a part in batches, each in a transaction. `then` gets each result. */
  async function writeBatches<P extends ArchivePart, T>(
    part: P,
    work: (tx: WriteTx, lines: ArchiveLines[P][]) => Promise<T>,
    then: (result: T) => void = () => {},
  ): Promise<void> {
    let done = 0
    for await (const lines of readLineBatches(archive, part)) {
      const write = runTransaction((tx) => work(tx, lines))
      then(await write.catch(withLineNumbers(part, done + 1, done + lines.length)))
      done += lines.length
      onProgress(`${part}, ${done} lines imported`)
    }
  }
}

/** Adds the lines to errors that only the database can detect. */
const withLineNumbers = (part: ArchivePart, first: number, last: number) => (error: unknown) => {
  if (error instanceof ApiError || !(error instanceof Error)) throw error
  const message = `${partFilename(part)} lines ${first} to ${last} cannot be stored: ${error.message}`
  throw conflict('archive_invalid', message)
}

/** Stores the bytes of attachments, whose rows exist already. */
async function storeFiles(context: FillContext, { ids }: LoadContext): Promise<number> {
  const { files, actor, verified, runTransaction, onProgress } = context
  let stored = 0
  for await (const lines of readLineBatches(verified.archive, 'attachments')) {
    const keys: string[] = []
    try {
      for (const line of lines) {
        const key = fileKey(actor.workspace_id, ids.mapId(line.id))
        if (!(await storeFile(context, line, key))) continue
        keys.push(key)
        onProgress(`${stored + keys.length} files imported`)
      }
      await runTransaction(async () => {})
    } catch (error) {
      // If the import was given up meanwhile, nothing else refers to these files, unless the original
      // of a copy has the same workspace and the same bucket.
      if (!(await context.isCopy())) for (const key of keys) await files.remove(key)
      throw error
    }
    stored += keys.length
  }
  return stored
}

/** Returns whether the archive has the file. */
async function storeFile(
  { files, verified }: FillContext,
  { id, sha256 }: ArchiveLines['attachments'],
  key: string,
): Promise<boolean> {
  const { archive } = verified
  const entry = archive.attachmentEntry(id)
  if (!entry) return false
  const draft = await files.draft()
  try {
    for await (const chunk of archive.readBytes(entry)) await draft.write(chunk)
    if ((await draft.finish()) !== sha256)
      throw archiveDamaged(`The file of the attachment ${id} does not match its checksum.`)
    await files.put(key, draft)
    return true
  } finally {
    await draft.discard()
  }
}
