import { hash } from 'node:crypto'
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
import {
  abandonImport,
  abandonStalledImports,
  purgeAbandonedWorkspaceNow,
  purgeWorkspaceStep,
} from '#jobs/purges.ts'
import { timestampOf } from '#lib/clock.ts'
import { foldCase } from '#lib/fold-case.ts'
import { newId, newRemapKey, remapId } from '#lib/id.ts'
import { extractSearchWords } from '#lib/search-words.ts'
import { adjustSubtaskCounts } from '#resources/tasks/store.ts'
import { attachmentFilename } from '../format/archive-manifest.ts'
import type { ArchiveLines, ArchivePart, TablePart } from '../format/line-schemas.ts'
import {
  ArchiveFaults,
  type ArchiveLine,
  ArchiveRecords,
  DUPLICATE,
  readCheckedLines,
  readLineBatches,
  UNKNOWN_REFERENCE,
} from './check-lines.ts'
import {
  activateMembers,
  applicationWithAnyId,
  createIdMapping,
  insertRows,
  insertWorkspace,
  linkTasks,
  loadLines,
  PENDING_REMOVED_AT,
  projectWithAnyId,
  setAttachmentBytes,
  tasksWithIds,
  taskWithTakenNumber,
  userWithId,
} from './line-loaders.ts'
import { type ArchiveReader, archiveDamaged, openArchive } from './open-archive.ts'

/** An import that has not renewed its lease for this long was killed. */
const LEASE_TTL_MS = 60_000
const RENEW_INTERVAL_MS = 15_000

const importLeaseExpiry = ({ nowMs }: WriteTx): string => timestampOf(nowMs + LEASE_TTL_MS)

/** Runs a transaction of an import, which renews its lease first. */
type ImportTransaction = <T>(work: (tx: WriteTx) => Promise<T>) => Promise<T>

/**
 * Runs the work of an import and renews its lease meanwhile. Every transaction checks first whether
 * the import was given up, as after the machine slept for long: then nothing more is written.
 */
async function withImportLease<T>(
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
interface JoinedMember {
  archiveUserId: string
  userId: string
  hadAccount: boolean
}

/**
 * Adds people as members who are not active yet. A person is matched with the account of the same
 * email address: the operator vouches for that by importing. Others get an account without a
 * password, so that nobody can sign in to it until one is set.
 */
async function joinMembers(
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
interface FillContext {
  runTransaction: ImportTransaction
  files: Files
  actor: Actor
  archive: ArchiveReader
  workspace: ArchiveLines['workspace']
  /** The key from which new ids are derived; undefined if the ids of the archive are kept. */
  twinKey: string | undefined
  isCopy(): Promise<boolean>
  /** Called before the first attachment is written. */
  onFiles(): void
  onProgress(what: string): void
}

/** Counts for the result: people with and without an earlier account, lines by part, and files. */
interface FillResult {
  people: { known: number; made: number }
  lines: Record<ArchivePart, number>
  files: { here: number; lost: number }
}

/** Links that are checked and written in one transaction. */
const LINK_BATCH_SIZE = 100

/**
 * Fills a workspace that nobody can see yet, in one pass over the archive. A line is checked by its
 * schema and against the few records that it may refer to, people, projects and tags; the database
 * checks what must be unique, and the references to tasks. The last transaction activates the members.
 */
async function fillWorkspace(context: FillContext): Promise<FillResult> {
  const { runTransaction, archive, twinKey, onProgress } = context
  const records = new ArchiveRecords(context.workspace)
  const faults = new ArchiveFaults()
  const people = new Map<string, string>()
  const ids = createIdMapping(people, twinKey, await findRecordIds(archive, twinKey))
  let withAccount = 0
  let storedFiles: StoredFiles = { count: 0, bytes: 0 }
  const applications: ArchiveLines['applications'][] = []
  for (const { part } of archive.manifest.parts) {
    if (part === 'workspace') continue
    if (part === 'members') await loadMembers()
    else if (part === 'applications') {
      for await (const batch of readCheckedLines(archive, part, records, faults))
        applications.push(...batch.map(({ line }) => line))
    } else if (part === 'attachments') await loadAttachments()
    else await loadRows(part)
    if (part === 'tasks') await checkLinks()
    if (part === 'events') checkLastSequence()
    faults.throwIfAny()
  }
  checkFileCounts(archive, storedFiles, records)
  await runTransaction(async (tx) => {
    await tx.run(setAttachmentBytes, { bytes: records.attachmentBytes })
    // Applications come last: any user may be asked for consent by one as soon as it exists.
    await loadLines(tx, 'applications', ids.mapValue(applications))
    await tx.run(activateMembers, {})
    await tx.run(endWorkspaceImport, {})
    await bumpAuthVersion(tx)
    tx.audit('workspace.imported', tx.actor.workspace_id, {})
  })
  const lines = Object.fromEntries(
    archive.manifest.parts.map((one) => [one.part, one.lines]),
  ) as Record<ArchivePart, number>
  return {
    people: { known: withAccount, made: lines.members - withAccount },
    lines,
    files: { here: storedFiles.count, lost: records.lostFiles },
  }

  function loadRows<P extends TablePart>(part: P): Promise<void> {
    return loadPart(part, (tx, lines) => loadLines(tx, part, ids.mapValue(lines)))
  }

  async function loadMembers(): Promise<void> {
    await loadPart('members', joinMembers, async (joined) => {
      for (const one of joined) {
        if (one.userId !== one.archiveUserId) people.set(one.archiveUserId, one.userId)
        if (one.hadAccount) withAccount += 1
      }
    })
    if (records.owners === 0)
      faults.note('members', 1, 'role', 'must be owner for at least one active member')
  }

  async function loadAttachments(): Promise<void> {
    context.onFiles()
    const load = (tx: WriteTx, lines: ArchiveLines['attachments'][]) =>
      loadLines(tx, 'attachments', ids.mapValue(lines))
    await loadPart('attachments', load, async (_, batch) => {
      const stored = await storeFiles(context, batch, ids.mapId)
      storedFiles = {
        count: storedFiles.count + stored.count,
        bytes: storedFiles.bytes + stored.bytes,
      }
      onProgress(`${storedFiles.count} files imported`)
    })
  }

  /** Writes the lines of a part in batches, each in a transaction. `then` gets each result. */
  async function loadPart<P extends ArchivePart, T>(
    part: P,
    load: (tx: WriteTx, lines: ArchiveLines[P][]) => Promise<T>,
    then: (result: T, batch: ArchiveLine<P>[]) => Promise<void> = async () => {},
  ): Promise<void> {
    for await (const batch of readCheckedLines(archive, part, records, faults)) {
      // Further lines are only checked.
      if (!faults.hasAny && batch.length > 0) await write(batch)
    }

    async function write(batch: ArchiveLine<P>[]): Promise<void> {
      const [{ number }] = batch as [ArchiveLine<P>]
      try {
        const result = await runTransaction(async (tx) => {
          await checkTasks(tx, part, batch)
          const lines = batch.map(({ line }) => line)
          return faults.hasAny ? undefined : { value: await load(tx, lines) }
        })
        if (!result) return
        await then(result.value, batch)
        onProgress(`${part}, ${number + batch.length - 1} lines imported`)
      } catch (error) {
        if (error instanceof ApiError || !(error instanceof Error)) throw error
        if (batch.length === 1) return noteDatabaseError(part, number, error)
        // To name the line that the database refuses.
        for (const one of batch) if (!faults.hasAny) await write([one])
      }
    }
  }

  /** Notes the lines whose task or whose file is not in the archive. */
  async function checkTasks(tx: ReadTx, part: ArchivePart, batch: ArchiveLine<ArchivePart>[]) {
    const lines = batch.flatMap(({ number, line }) =>
      'task_id' in line ? [{ number, task_id: ids.mapId(line.task_id), line }] : [],
    )
    if (lines.length === 0) return
    const found = await tx.all(tasksWithIds, { ids: [...new Set(lines.map((one) => one.task_id))] })
    const known = new Set(found.map(({ id }) => id))
    for (const { number, task_id, line } of lines) {
      if (!known.has(task_id)) faults.note(part, number, 'task_id', UNKNOWN_REFERENCE)
      if ('file' in line) checkFile(archive, line, (why) => faults.note(part, number, 'file', why))
    }
  }

  function noteDatabaseError(part: ArchivePart, number: number, error: Error): void {
    const column = findRepeatedColumn(error)
    if (column !== undefined) faults.note(part, number, column, DUPLICATE)
    else faults.add(part, number, '', `The line cannot be stored: ${error.message}`)
  }

  /** Checks the links between tasks, which may lead to later lines, and writes them. */
  async function checkLinks(): Promise<void> {
    faults.throwIfAny()
    const { parents, blockers } = records
    for (const links of parents.batches(LINK_BATCH_SIZE)) {
      await runTransaction(async (tx) => {
        const tasks = await loadLinked(tx, links)
        for (const { from, to } of links) {
          const [task, parent] = [tasks.get(ids.mapId(from)), tasks.get(ids.mapId(to))]
          if (!parent) faults.note('tasks', from, 'parent_id', UNKNOWN_REFERENCE)
          else if (parent.project_id !== task?.project_id)
            faults.note('tasks', from, 'parent_id', 'must be a task of the same project')
          else {
            const completed = task.status_category === 'completed' ? 1 : 0
            await tx.run(adjustSubtaskCounts, { parent_id: parent.id, by: 1, completed })
          }
        }
      })
    }
    for (const links of blockers.batches(LINK_BATCH_SIZE)) {
      await runTransaction(async (tx) => {
        const tasks = await loadLinked(tx, links)
        for (const { from, to } of links)
          if (!tasks.has(ids.mapId(to)))
            faults.note('tasks', from, 'blocked_by_ids', UNKNOWN_REFERENCE)
        if (faults.hasAny) return
        const rows = links.map(({ from, to }) => ({
          task_id: ids.mapId(from),
          blocker_id: ids.mapId(to),
        }))
        await linkTasks(tx, rows)
      })
    }
    const [descendant, blocked] = [parents.findCycle(), blockers.findCycle()]
    if (descendant) faults.note('tasks', descendant, 'parent_id', 'forms a cycle')
    if (blocked) faults.note('tasks', blocked, 'blocked_by_ids', 'forms a cycle')
    const taken = await runTransaction((tx) => tx.one(taskWithTakenNumber, {}))
    if (taken) faults.note('tasks', ids.archiveId(taken.id), 'former_numbers', DUPLICATE)
  }

  async function loadLinked(tx: ReadTx, links: readonly { from: string; to: string }[]) {
    const linked = new Set(links.flatMap(({ from, to }) => [ids.mapId(from), ids.mapId(to)]))
    const tasks = await tx.all(tasksWithIds, { ids: [...linked] })
    return new Map(tasks.map((task) => [task.id, task]))
  }

  function checkLastSequence(): void {
    const { workspace, nextSequence } = records
    if (nextSequence === workspace.last_sequence + 1) return
    const line = nextSequence - workspace.log_from_sequence + 1
    const why = 'must continue without a gap up to `last_sequence`'
    faults.note('events', line, 'event.sequence', why)
  }
}

/** The last column of the unique key that an error of the database is about. */
function findRepeatedColumn(error: Error & { code?: unknown; detail?: unknown }) {
  const [, sqlite] = /^UNIQUE constraint failed: .*\.(\w+)$/.exec(error.message) ?? []
  const [, postgres] = /^Key \((?:.*, )?(\w+)\)=/.exec(String(error.detail ?? '')) ?? []
  return (sqlite ?? postgres)?.replace(/_key$/, '')
}

/**
 * A test whether an id is that of a record of the archive, if records get new ids: texts also mention
 * what is elsewhere. Of a million ids only 48 bits of a hash are kept each, which take 40 MB; one in
 * 280 million other ids passes as one of them.
 */
async function findRecordIds(
  archive: ArchiveReader,
  twinKey: string | undefined,
): Promise<(id: string) => boolean> {
  if (twinKey === undefined) return () => false
  const bitsOf = (id: string) => hash('sha256', id, 'buffer').readUIntBE(0, 6)
  const found = new Set<number>()
  for (const { part } of archive.manifest.parts) {
    for await (const batch of readLineBatches(archive, part)) {
      for (const { line } of batch) {
        const { id } = 'event' in line ? line.event : 'id' in line ? line : { id: undefined }
        if (id !== undefined) found.add(bitsOf(id))
      }
    }
  }
  return (id) => found.has(bitsOf(id))
}

/** Reports an attachment that is in the archive although its line says otherwise, or the reverse. */
function checkFile(
  archive: ArchiveReader,
  { id, file, size_bytes }: ArchiveLines['attachments'],
  fail: (why: string) => void,
): void {
  const [entry, name] = [archive.attachmentEntry(id), attachmentFilename(id)]
  if (file === 'here' && !entry) fail(`is here, but ${name} is missing`)
  if (file === 'lost' && entry) fail('is lost, but the archive contains the file')
  if (entry && entry.size !== size_bytes) throw fileDamaged(id)
}

const fileDamaged = (id: string) =>
  archiveDamaged(`${attachmentFilename(id)} does not match its checksum.`)

interface StoredFiles {
  count: number
  bytes: number
}

/** Stores the bytes of attachments, whose rows exist already. */
async function storeFiles(
  { archive, files, actor, runTransaction, isCopy }: FillContext,
  batch: readonly ArchiveLine<'attachments'>[],
  mapId: (id: string) => string,
): Promise<StoredFiles> {
  const keys: string[] = []
  let bytes = 0
  try {
    for (const { line } of batch) {
      const entry = archive.attachmentEntry(line.id)
      if (!entry) continue
      const key = fileKey(actor.workspace_id, mapId(line.id))
      const draft = await files.draft()
      try {
        for await (const chunk of archive.readBytes(entry)) await draft.write(chunk)
        if ((await draft.finish()) !== line.sha256) throw fileDamaged(line.id)
        await files.put(key, draft)
      } finally {
        await draft.discard()
      }
      keys.push(key)
      bytes += entry.size
    }
    await runTransaction(async () => {})
  } catch (error) {
    // If the import was given up meanwhile, nothing else refers to these files, unless the original
    // of a copy has the same workspace and the same bucket.
    if (!(await isCopy())) for (const key of keys) await files.remove(key)
    throw error
  }
  return { count: keys.length, bytes }
}

/** Compares the files with the manifest. */
function checkFileCounts(
  { manifest, attachmentCount }: ArchiveReader,
  stored: StoredFiles,
  { lostFiles }: ArchiveRecords,
): void {
  if (stored.count !== attachmentCount)
    throw archiveDamaged('A file does not belong to any attachment.')
  const { count, bytes, lost } = manifest.files
  if (stored.count === count && stored.bytes === bytes && lostFiles === lost) return
  throw archiveDamaged(`The manifest lists ${count} files of ${bytes} bytes and ${lost} lost ones.`)
}

/** The archive, and overrides for the new workspace. */
interface ImportWorkspaceOptions {
  from: string
  /** Replaces the name or plan of the archived workspace. */
  name?: string | undefined
  plan?: Plan | undefined
  /** Whether this installation may be a copy of another one, which may use the same bucket. */
  isCopy(): Promise<boolean>
  onProgress(what: string): void
}

/** A workspace that was imported. */
interface ImportedWorkspace extends FillResult {
  workspace_id: string
  name: string
  /** `new` if ids of the archive are already taken on this installation. */
  ids: 'kept' | 'new'
  made_at: string
}

/**
 * Imports a workspace from an archive. Transactions of bounded size write the rows into a workspace
 * without active members while the archive is read and checked, and the last one activates the
 * members. An import that fails, because the archive is invalid or for any other reason, is removed.
 */
export async function importWorkspace(
  storage: Storage,
  files: Files,
  options: ImportWorkspaceOptions,
): Promise<ImportedWorkspace> {
  const archive = await openArchive(options.from)
  try {
    const workspace = await readWorkspaceLine(archive)
    const twinKey = await newKeyIfTaken(storage, files, archive, workspace, options)
    const workspace_id = twinKey === undefined ? workspace.id : remapId(workspace.id, twinKey)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id }
    const { name } = await createWorkspace(storage, actor, workspace, options)
    let hasFiles = false
    try {
      const { isCopy, onProgress } = options
      const onFiles = () => {
        hasFiles = true
      }
      const filled = await withImportLease(storage, actor, (runTransaction) =>
        fillWorkspace({
          ...{ runTransaction, files, actor, archive, workspace, twinKey },
          ...{ isCopy, onFiles, onProgress },
        }),
      )
      await recountStoredBytes(storage, workspace_id)
      const ids = twinKey === undefined ? 'kept' : 'new'
      return { workspace_id, name, ids, made_at: archive.manifest.made_at, ...filled }
    } catch (error) {
      await storage.write(actor, abandonImport)
      if (hasFiles) await purgeAbandonedWorkspaceNow(storage, files, workspace_id, options.isCopy)
      else {
        // Without files a copy has none to take from its original, so that it need not wait either.
        const rowsOnly = { ...files, clear: async () => {} }
        while (await purgeWorkspaceStep(storage, rowsOnly, workspace_id));
      }
      throw error
    }
  } finally {
    await archive.close()
  }
}

/** Reads and checks the line of the workspace. */
async function readWorkspaceLine(archive: ArchiveReader): Promise<ArchiveLines['workspace']> {
  const faults = new ArchiveFaults()
  const [part, lines] = ['workspace' as const, [] as ArchiveLines['workspace'][]]
  const onFaults: Parameters<typeof readLineBatches>[2] = (number, errors) => {
    for (const { field, message } of errors) faults.add(part, number, field, message)
  }
  for await (const batch of readLineBatches(archive, part, onFaults))
    lines.push(...batch.map(({ line }) => line))
  const [workspace] = lines
  if (lines.length > 1)
    faults.note(part, 2, '', 'is not allowed, because an archive has one workspace')
  if (workspace && workspace.log_from_sequence > workspace.last_sequence + 1)
    faults.note(part, 1, 'log_from_sequence', 'is greater than `last_sequence`')
  faults.throwIfAny()
  if (!workspace) throw archiveDamaged('workspace.jsonl is empty.')
  return workspace
}

/** A key for new ids if one of the archive is taken here; undefined if all ids can be kept. */
async function newKeyIfTaken(
  storage: Storage,
  files: Files,
  archive: ArchiveReader,
  { id: workspace_id }: ArchiveLines['workspace'],
  { isCopy }: ImportWorkspaceOptions,
): Promise<string | undefined> {
  const actor = { ...ANONYMOUS_ACTOR, workspace_id }
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
  if (isTaken || (await isAnyIdTaken(storage, archive))) return newRemapKey()
  return undefined
}

async function isAnyIdTaken(storage: Storage, archive: ArchiveReader): Promise<boolean> {
  const queries = { projects: projectWithAnyId, applications: applicationWithAnyId } as const
  for (const part of ['projects', 'applications'] as const) {
    for await (const batch of readLineBatches(archive, part)) {
      const ids = batch.map(({ line }) => line.id)
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
  workspace: ArchiveLines['workspace'],
  { name = workspace.name, plan = workspace.plan }: ImportWorkspaceOptions,
): Promise<Pick<ArchiveLines['workspace'], 'name' | 'plan'>> {
  const { timezone, created_at, updated_at, last_sequence, log_from_sequence } = workspace
  await storage.write(actor, async (tx) => {
    await tx.run(insertWorkspace, {
      ...{ name, plan, timezone, created_at, updated_at, last_sequence, log_from_sequence },
      // Webhooks get no events from before the import.
      fanned_out_sequence: last_sequence,
    })
    await tx.run(markWorkspaceImporting, { until: importLeaseExpiry(tx) })
  })
  return { name, plan }
}
