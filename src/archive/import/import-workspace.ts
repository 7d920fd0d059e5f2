import { bumpAuthVersion } from '#auth/auth-version.ts'
import { ensureAccount, findAccountByEmail, NO_PASSWORD } from '#auth/users/accounts.ts'
import { type Actor, ANONYMOUS_ACTOR, type Plan } from '#core/actor.ts'
import { ApiError, conflict } from '#core/api-error.ts'
import type { ReadTx, Storage, WriteTx } from '#core/transaction.ts'
import { existingWorkspace } from '#db/retention/pending-file-deletions.ts'
import { recountStoredBytes } from '#db/workspaces/stored-bytes.ts'
import {
  endWorkspaceImport,
  extendWorkspaceImport,
  markWorkspaceImporting,
  workspaceImportMark,
} from '#db/workspaces/workspace-imports.ts'
import { type Files, fileKey } from '#files/files.ts'
import { abandonImport, abandonStalledImports, purgeAbandonedWorkspaceNow } from '#jobs/purges.ts'
import { timestampOf } from '#lib/clock.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId, newRemapKey, remapId } from '#lib/id.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { partFilename } from '../format/archive-manifest.ts'
import type { ArchiveLines, ArchivePart } from '../format/line-schemas.ts'
import { archiveDamaged, openArchive } from '../verify/open-archive.ts'
import { readLineBatches, type VerifiedArchive, verifyArchive } from '../verify/verify-archive.ts'
import {
  activateMembers,
  applicationWithAnyId,
  createIdMapping,
  insertRows,
  insertWorkspace,
  LINE_LOADERS,
  type LoadContext,
  linkTasks,
  PENDING_REMOVED_AT,
  projectWithAnyId,
  userWithId,
} from './line-loaders.ts'

/** An import that has not renewed its lease for this long was killed. */
const LEASE_TTL_MS = 60_000
const RENEW_INTERVAL_MS = 15_000

export const importLeaseExpiry = ({ nowMs }: WriteTx): string => timestampOf(nowMs + LEASE_TTL_MS)

/** Runs a transaction of an import, which renews its lease first. */
export type ImportTransaction = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>

/**
 * Runs the work of an import and renews its lease meanwhile. Every transaction checks first whether
 * the import was given up, as after the machine slept for long: then nothing more is written.
 */
export async function withImportLease<T>(
  storage: Storage,
  actor: Actor,
  work: (runTransaction: ImportTransaction) => Promise<T>,
): Promise<T> {
  const runTransaction: ImportTransaction = (write) =>
    storage.write(actor, async (tx) => {
      if ((await tx.run(extendWorkspaceImport, { until: importLeaseExpiry(tx) })) === 0) {
        throw conflict('import_given_up', 'The import stalled for too long. Start it again.')
      }
      return write(tx)
    })
  let leaseError: unknown
  const timer = setInterval(() => {
    runTransaction(async () => {}).catch((error: unknown) => {
      leaseError = error
    })
  }, RENEW_INTERVAL_MS)
  try {
    const result = await work(async (write) => {
      if (leaseError !== undefined) throw leaseError
      return runTransaction(write)
    })
    return result
  } finally {
    clearInterval(timer)
  }
}

/** A person of an archive: their old and new ids, and whether their account existed before. */
export interface JoinedMember {
  archiveUserId: string
  userId: string
  hadAccount: boolean
}

/**
 * Adds people as members who are not active yet. A person is matched with the account of the same
 * email address: the operator vouches for that by importing. Others get an account without a
 * password, so that nobody can sign in to it until one is set.
 */
export async function joinMembers(
  tx: WriteTx,
  lines: readonly ArchiveLines['members'][],
): Promise<JoinedMember[]> {
  const joined: JoinedMember[] = []
  for (const { id: archiveUserId, email, name, avatar_url, timezone, locale, ...member } of lines) {
    const existing = await findAccountByEmail(tx, email)
    const isTaken =
      existing !== undefined || (await tx.one(userWithId, { id: archiveUserId })) !== undefined
    const id = isTaken ? newId('usr', tx.nowMs) : archiveUserId
    const person = { id, email, name, avatar_url, timezone, locale }
    const account = await ensureAccount(tx, person, NO_PASSWORD)
    await insertRows(tx, 'memberships', [
      {
        user_id: account.user_id,
        ...member,
        removed_at: member.removed_at ?? PENDING_REMOVED_AT,
        name_key: foldCase(account.name),
        name_words: ` ${extractSearchWords(account.name).join(' ')}`,
      },
    ])
    joined.push({
      archiveUserId,
      userId: account.user_id,
      hadAccount: existing !== undefined,
    })
  }
  return joined
}

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
