import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import {
  createHashedFile,
  docketVersion,
  type FileDigest,
  fsyncDirectory,
  hashFile,
  readFileLines,
} from '#backup/backup-files.ts'
import { withFileDeletionPaused } from '#backup/pause-file-deletion.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, conflict, notFound } from '#core/api-error.ts'
import type { DatabaseEngine, ReadTx, Storage } from '#core/transaction.ts'
import { memoizeByShape, query, rawStatement, type Scoped } from '#db/core/statement.ts'
import { makeDirectory } from '#db/installation/data-dir.ts'
import { MIGRATIONS } from '#db/migrate/migrations.ts'
import { workspaceImportMark } from '#db/workspaces/workspace-imports.ts'
import { isMissingFile } from '#files/disk.ts'
import { type Files, fileKey } from '#files/files.ts'
import { timestampOf } from '#lib/clock.ts'
import { fromJson, type Json } from '#lib/json.ts'
import { giveWay } from '#lib/turns.ts'
import {
  ARCHIVE_FORMAT,
  ARCHIVE_MANIFEST_FILENAME,
  type ArchiveManifest,
  attachmentFilename,
  partFilename,
} from '../format/archive-manifest.ts'
import {
  ARCHIVE_PARTS,
  type ArchiveLines,
  type ArchivePart,
  LINE_SCHEMAS,
  serializeLine,
} from '../format/line-schemas.ts'
import { TAR_END, tarHeader, tarPadding } from '../format/tar.ts'

/** Parts whose lines come from the rows of a table. */
type TablePart = Exclude<ArchivePart, 'workspace'>

/** A row as read from the database. */
type ExportedRow = Record<string, string | number | null>

/**
 * Rows that are read together; the largest have a megabyte. A SQLite statement blocks the whole process
 * meanwhile.
 */
const BATCH_SIZE = { sqlite: 10, postgres: 50 }

interface LineSource {
  from: RawBuilder<unknown>
  /** The sort columns. The table has an index on its workspace and these. */
  key: readonly string[]
  /** Columns by field, where their names differ or need their table. */
  renamed?: Readonly<Record<string, string>>
  /** Fields that are read from other tables. */
  gathered?: readonly string[]
  json?: readonly string[]
}

const fromTable = (name: string) => sql`${sql.table(name)}`

const SOURCES: Record<TablePart, LineSource> = {
  members: {
    from: sql`memberships join users on users.id = memberships.user_id`,
    key: ['memberships.user_id'],
    renamed: {
      id: 'memberships.user_id',
      role: 'memberships.role',
      joined_at: 'memberships.joined_at',
      removed_at: 'memberships.removed_at',
      last_active_at: 'memberships.last_active_at',
    },
  },
  projects: {
    from: fromTable('projects'),
    key: ['id'],
    gathered: ['former_prefixes', 'people_ids'],
    json: ['statuses'],
  },
  tags: { from: fromTable('tags'), key: ['id'] },
  views: { from: fromTable('views'), key: ['id'], gathered: ['pinned_by'] },
  templates: { from: fromTable('templates'), key: ['id'], json: ['tasks'] },
  tasks: {
    from: fromTable('tasks'),
    key: ['id'],
    gathered: ['former_numbers', 'blocked_by_ids'],
    json: ['assignee_ids', 'tag_ids', 'recurrence', 'custom_fields', 'metadata'],
  },
  comments: { from: fromTable('comments'), key: ['id'], json: ['mentions'] },
  time_entries: { from: fromTable('time_entries'), key: ['id'] },
  activity: { from: fromTable('activity'), key: ['task_id', 'id'], json: ['changes'] },
  events: {
    from: fromTable('events'),
    key: ['sequence'],
    renamed: { event: 'payload' },
    json: ['event'],
  },
  audit: { from: fromTable('audit_entries'), key: ['sequence'], json: ['details'] },
  webhooks: { from: fromTable('webhooks'), key: ['id'], json: ['events', 'project_ids'] },
  applications: { from: fromTable('applications'), key: ['id'], json: ['redirect_uris', 'scopes'] },
  attachments: { from: fromTable('attachments'), key: ['id'], gathered: ['file'] },
}

/** The first rows of a part, or those after the sort columns `after_1` and `after_2`. */
const page = memoizeByShape(({ part, after }: { part: TablePart; after: boolean }) =>
  query((db, $: Scoped<{ after_1: string | number; after_2: string; limit: number }>) => {
    const { from, key, renamed = {}, gathered = [] } = SOURCES[part]
    const fields = Object.keys(LINE_SCHEMAS[part].properties).filter(
      (name) => !gathered.includes(name),
    )
    const columns = fields.map((name) => sql`${sql.ref(renamed[name] ?? name)} as ${sql.ref(name)}`)
    const order = sql.join(key.map((name) => sql.ref(name)))
    const slots = sql.join([$.after_1, $.after_2].slice(0, key.length))
    const workspace = sql.ref(part === 'members' ? 'memberships.workspace_id' : 'workspace_id')
    const key_1 = sql`${sql.ref(key[0] ?? '')} as key_1`
    return rawStatement<ExportedRow>(
      db,
      sql`select ${sql.join([...columns, key_1])} from ${from}
        where ${workspace} = ${$.workspace_id}
          ${after ? sql`and (${order}) > (${slots})` : sql``}
        order by ${order} limit ${$.limit}`,
    )
  }),
)

/**
 * Streams the lines of a part in order. Events begin at `log_from`, the first sequence that the event
 * log still shows.
 */
export async function* readExportLines<P extends TablePart>(
  tx: ReadTx,
  engine: DatabaseEngine,
  part: P,
  log_from: number,
): AsyncGenerator<ArchiveLines[P]> {
  const limit = BATCH_SIZE[engine]
  let args = { after_1: part === 'events' ? log_from - 1 : '', after_2: '', limit }
  for (let after = part === 'events'; ; after = true) {
    const rows = await tx.all(page({ part, after }), args)
    const last = rows.at(-1)
    if (!last) return
    const ids = rows.map(({ id }) => String(id))
    const relatedTo = await LOAD_RELATED[part]?.(tx, ids)
    for (const row of rows) {
      yield toLine(part, { ...row, ...relatedTo?.(String(row.id)) })
      await giveWay()
    }
    if (rows.length < limit) return
    args = { after_1: last.key_1 ?? '', after_2: String(last.id), limit }
  }
}

/** The line of the workspace, if it exists. */
export const workspaceLine = query((db, $: Scoped) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .select(['last_sequence', 'log_from_sequence'])
    .where('id', '=', $.workspace_id),
)

function toLine<P extends TablePart>(part: P, row: Record<string, unknown>): ArchiveLines[P] {
  const { json = [] } = SOURCES[part]
  const line: Record<string, unknown> = { ...row }
  for (const name of json) {
    const text = row[name]
    line[name] = typeof text === 'string' ? JSON.parse(text) : null
  }
  if (part === 'time_entries') line.billable = row.billable === 1
  if (part === 'attachments') line.file = 'here'
  // Addresses of clients stay where they are needed to look into a sign-in.
  if (part === 'audit') line.details = { ...Object(line.details), address: undefined }
  return line as ArchiveLines[P]
}

type LoadRelated = (tx: ReadTx, ids: string[]) => Promise<(id: string) => object>

/** Loads the fields that other tables add to the lines with some ids. */
const LOAD_RELATED: Partial<Record<TablePart, LoadRelated>> = {
  async projects(tx, ids) {
    const prefixes = await tx.all(formerPrefixes, { ids })
    const people = await tx.all(peopleOfProjects, { ids })
    return (id) => ({
      former_prefixes: prefixes.filter((one) => one.project_id === id).map((one) => one.prefix),
      people_ids: people.filter((one) => one.project_id === id).map((one) => one.user_id),
    })
  },
  async views(tx, ids) {
    const pins = await tx.all(pinsOfViews, { ids })
    return (id) => ({
      pinned_by: pins
        .filter((one) => one.view_id === id)
        .map(({ user_id, position }) => ({ user_id, position })),
    })
  },
  async tasks(tx, ids) {
    const numbers = await tx.all(formerNumbers, { ids })
    const blockers = await tx.all(blockersOf, { ids })
    return (id) => ({
      former_numbers: numbers
        .filter((one) => one.task_id === id)
        .map(({ project_id, number }) => ({ project_id, number })),
      blocked_by_ids: blockers.filter((one) => one.task_id === id).map((one) => one.blocker_id),
    })
  },
}

type ScopedIds = Scoped<{ ids: readonly string[] }>

const formerPrefixes = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('project_prefixes')
    .innerJoin('projects', (join) =>
      join
        .onRef('projects.workspace_id', '=', 'project_prefixes.workspace_id')
        .onRef('projects.id', '=', 'project_prefixes.project_id'),
    )
    .select(['project_prefixes.project_id', 'project_prefixes.prefix'])
    .where('project_prefixes.workspace_id', '=', $.workspace_id)
    .where(inList('project_prefixes.project_id', $.ids))
    .whereRef('project_prefixes.prefix', '<>', 'projects.prefix')
    .orderBy('project_prefixes.prefix'),
)

const peopleOfProjects = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('project_people')
    .select(['project_id', 'user_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('project_people.project_id', $.ids))
    .orderBy('user_id'),
)

const pinsOfViews = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('view_pins')
    .select(['view_id', 'user_id', 'position'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('view_pins.view_id', $.ids))
    .orderBy('user_id'),
)

const formerNumbers = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('task_numbers')
    .select(['task_id', 'project_id', 'number'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_numbers.task_id', $.ids))
    .orderBy('project_id'),
)

/** Includes deleted blockers, which tasks do not show. */
const blockersOf = query((db, $: ScopedIds, { inList }) =>
  db
    .selectFrom('task_blocks')
    .select(['task_id', 'blocker_id'])
    .where('workspace_id', '=', $.workspace_id)
    .where(inList('task_blocks.task_id', $.ids))
    .orderBy('blocker_id'),
)

/** Which workspace to export, and to which file. */
export interface ExportWorkspaceOptions {
  workspace_id: string
  /** A path that does not exist yet. */
  to: string
  onProgress(what: string): void
}

/** A finished archive, with the digest of the whole file. */
export interface ExportedArchive extends FileDigest {
  archive: string
  manifest: ArchiveManifest
  /** Ids of some attachments whose bytes could not be read. */
  lost_examples: string[]
}

const MAX_EXAMPLES = 20

/**
 * Writes a workspace to a file while the server runs: its rows from one snapshot, then the files
 * that they refer to. The file gets its name once it is complete and synced; a killed export leaves
 * a directory `….part-…`. Throws 404 if there is no such workspace, 409 `archive_exists` if the
 * path is taken.
 */
export async function exportWorkspace(
  storage: Storage,
  files: Files,
  { workspace_id, to, onProgress }: ExportWorkspaceOptions,
): Promise<ExportedArchive> {
  if (await stat(to).catch(() => undefined)) {
    throw conflict('archive_exists', `${to} already exists. Choose another file name.`)
  }
  makeDirectory(dirname(to))
  const draft = await mkdtemp(`${to}.part-`)
  try {
    const archive = await withFileDeletionPaused(storage, () =>
      writeArchive(draft, storage, files, workspace_id, onProgress),
    )
    await storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) =>
      tx.audit('workspace.exported', workspace_id, {}),
    )
    await rename(join(draft, ARCHIVE), to)
    await fsyncDirectory(dirname(to))
    return { archive: to, ...archive }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** File names within the draft directory. */
const [ARCHIVE, STAGED] = ['archive', 'staged']
const ATTACHMENTS = 'attachments'

async function writeArchive(
  draft: string,
  storage: Storage,
  files: Files,
  workspace_id: string,
  onProgress: (what: string) => void,
) {
  const tar = await createHashedFile(join(draft, ARCHIVE))
  try {
    const made_at = timestampOf(storage.clock.now())
    const parts: ArchiveManifest['parts'] = []
    const finish = async (path: string, part: ArchivePart, lines: number) => {
      parts.push({ part, lines, ...(await appendFile(tar, partFilename(part), path)) })
      onProgress(`${part}, ${lines} lines`)
    }
    const workspace = await storage.snapshot({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      const record = await loadExportable(tx)
      for (const part of ARCHIVE_PARTS) {
        const path = join(draft, part)
        const lines = await spool(path, serializePart(tx, storage.engine, part, record))
        // Attachments are finished after their files, which are read once the snapshot is closed.
        if (part !== ATTACHMENTS) await finish(path, part, lines)
      }
      return record
    })
    const rows = join(draft, ATTACHMENTS)
    const added = await addFiles({ tar, draft, rows, files, workspace_id, onProgress })
    await finish(`${rows}.known`, ATTACHMENTS, added.lines)
    const { id, name } = workspace
    const manifest: ArchiveManifest = {
      format: ARCHIVE_FORMAT,
      docket: docketVersion(),
      schema: MIGRATIONS.length,
      made_at,
      workspace: { id, name },
      parts,
      files: added.files,
    }
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await tar.write(tarHeader(ARCHIVE_MANIFEST_FILENAME, text.length))
    await tar.write(text)
    await tar.write(tarPadding(text.length))
    await tar.write(TAR_END)
    return { ...(await tar.end()), manifest, lost_examples: added.examples }
  } catch (error) {
    await tar.abandon()
    throw error
  }
}

/** Throws 404 if there is no such workspace, or if it is still being imported. */
async function loadExportable(tx: ReadTx): Promise<ArchiveLines['workspace']> {
  const workspace = await tx.one(workspaceLine, {})
  if (!workspace || (await tx.one(workspaceImportMark, {}))) throw notFound()
  return workspace
}

async function* serializePart(
  tx: ReadTx,
  engine: DatabaseEngine,
  part: ArchivePart,
  workspace: ArchiveLines['workspace'],
): AsyncGenerator<string> {
  if (part === 'workspace') yield serializeLine(part, workspace)
  else {
    for await (const line of readExportLines(tx, engine, part, workspace.log_from_sequence)) {
      yield serializeLine(part, line)
    }
  }
}

/** In characters: lines that are written together. */
const MAX_WRITE_LENGTH = 262_144

/**
 * Writes lines to a separate file first, because a tar header holds the size of the file after it.
 */
async function spool(path: string, lines: AsyncIterable<string>): Promise<number> {
  const file = await createHashedFile(path)
  let count = 0
  let text = ''
  try {
    for await (const line of lines) {
      count += 1
      text += `${line}\n`
      if (text.length < MAX_WRITE_LENGTH) continue
      await file.write(Buffer.from(text))
      text = ''
    }
    await file.write(Buffer.from(text))
    await file.end()
    return count
  } catch (error) {
    await file.abandon()
    throw error
  }
}

type TarFile = Awaited<ReturnType<typeof createHashedFile>>

/** Moves a file of the draft directory into the archive. */
async function appendFile(tar: TarFile, name: string, path: string) {
  const { size } = await stat(path)
  await tar.write(tarHeader(name, size))
  const { sha256 } = await hashFile(path, tar.write)
  await tar.write(tarPadding(size))
  await rm(path)
  return { bytes: size, sha256 }
}

interface AddFilesOptions {
  tar: TarFile
  draft: string
  /** The path of the attachment lines, which do not yet say which files can be read. */
  rows: string
  files: Files
  workspace_id: string
  onProgress(what: string): void
}

/**
 * Adds the files of attachments whose size and hash match their rows, and writes the attachment
 * lines with the result for each.
 */
async function addFiles({ tar, draft, rows, files, workspace_id, onProgress }: AddFilesOptions) {
  const counts: ArchiveManifest['files'] = { count: 0, bytes: 0, lost: 0 }
  const examples: string[] = []
  const staged = join(draft, STAGED)
  const lines = await spool(`${rows}.known`, addEach())
  return { lines, files: counts, examples }

  async function* addEach(): AsyncGenerator<string> {
    for await (const text of readFileLines(rows)) {
      const row = fromJson(text as Json<ArchiveLines['attachments']>)
      const isReadable = await stage(row)
      if (isReadable) {
        await appendFile(tar, attachmentFilename(row.id), staged)
        counts.count += 1
        counts.bytes += row.size_bytes
        onProgress(`${counts.count} files`)
      } else {
        counts.lost += 1
        if (examples.length < MAX_EXAMPLES) examples.push(row.id)
      }
      yield serializeLine(ATTACHMENTS, { ...row, file: isReadable ? 'here' : 'lost' })
    }
  }

  /** Copies the bytes of an attachment. Returns whether they match its row. */
  async function stage({ id, size_bytes, sha256 }: ArchiveLines['attachments']): Promise<boolean> {
    await rm(staged, { force: true })
    const copy = await createHashedFile(staged)
    try {
      const range = { start: 0, end: size_bytes - 1 }
      const stream = await files.read(fileKey(workspace_id, id), size_bytes, range)
      for await (const chunk of stream) await copy.write(chunk as Buffer)
      const digest = await copy.end()
      return digest.sha256 === sha256 && digest.size === size_bytes
    } catch (error) {
      await copy.abandon()
      if (error instanceof ApiError && isMissingFile(error.cause)) return false
      throw error
    }
  }
}
