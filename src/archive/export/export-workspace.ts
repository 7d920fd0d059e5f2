import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import {
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
import type { RelatedRows } from '#resources/noun.ts'
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
  definitionOf,
  serializeLine,
  type TablePart,
} from '../format/line-schemas.ts'
import { createTarFile } from '../format/tar.ts'

/** A row as read from the database. */
type ExportedRow = Record<string, string | number | null>

/**
 * Rows that are read together; the largest have a megabyte. A SQLite statement blocks the whole process
 * meanwhile.
 */
const BATCH_SIZE = { sqlite: 10, postgres: 50 }

/** The first rows of a part, or those after the sort columns `after_1` and `after_2`. */
const page = memoizeByShape(({ part, after }: { part: TablePart; after: boolean }) =>
  query((db, $: Scoped<{ after_1: string | number; after_2: string; limit: number }>) => {
    const {
      line,
      table,
      from = sql.table(table),
      key = ['id'],
      renamed = {},
      related = {},
      added = [],
    } = definitionOf(part)
    const fields = Object.keys(line.properties).filter(
      (name) => !(name in related || added.includes(name)),
    )
    const columns = fields.map((name) => sql`${sql.ref(renamed[name] ?? name)} as ${sql.ref(name)}`)
    const order = sql.join(key.map((name) => sql.ref(name)))
    const slots = sql.join([$.after_1, $.after_2].slice(0, key.length))
    const workspace = sql.ref(`${table}.workspace_id`)
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
async function* readExportLines<P extends TablePart>(
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
    await addRelated(tx, part, rows)
    for (const row of rows) {
      yield toLine(part, row)
      await giveWay()
    }
    if (rows.length < limit) return
    args = { after_1: last.key_1 ?? '', after_2: String(last.id), limit }
  }
}

/** The line of the workspace, if it exists. */
const workspaceLine = query((db) =>
  db
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'timezone', 'created_at', 'updated_at'])
    .select(['last_sequence', 'log_from_sequence']),
)

function toLine<P extends TablePart>(part: P, row: Record<string, unknown>): ArchiveLines[P] {
  const { json = [], flags = [] } = definitionOf(part)
  const line: Record<string, unknown> = { ...row }
  for (const name of json) {
    const text = row[name]
    line[name] = typeof text === 'string' ? JSON.parse(text) : null
  }
  for (const name of flags) line[name] = row[name] === 1
  if (part === 'attachments') line.file = 'here'
  // Addresses of clients stay where they are needed to look into a sign-in.
  if (part === 'audit') line.details = { ...Object(line.details), address: undefined }
  return line as ArchiveLines[P]
}

const relatedRows = memoizeByShape(({ table, of, columns, order }: RelatedRows) =>
  query((db, $: Scoped<{ ids: readonly string[] }>, { inList }) =>
    rawStatement<ExportedRow>(
      db,
      sql`select ${sql.ref(of)} as of_id, ${sql.join(columns.map((one) => sql.ref(one)))}
        from ${sql.table(table)}
        where workspace_id = ${$.workspace_id} and ${inList(of, $.ids)}
        order by ${sql.ref(of)}, ${sql.ref(order)}`,
    ),
  ),
)

/** Adds the fields that other tables have to rows of a part. */
async function addRelated(tx: ReadTx, part: TablePart, rows: Record<string, unknown>[]) {
  const ids = rows.map(({ id }) => String(id))
  for (const [field, related] of Object.entries(definitionOf(part).related ?? {})) {
    const [column = '', ...more] = related.columns
    const found = Map.groupBy(await tx.all(relatedRows(related), { ids }), ({ of_id }) => of_id)
    for (const row of rows) {
      const values = (found.get(String(row.id)) ?? []).map(({ of_id: _, ...one }) =>
        more.length > 0 ? one : one[column],
      )
      row[field] = field === 'former_prefixes' ? values.filter((one) => one !== row.prefix) : values
    }
  }
}

/** Which workspace to export, and to which file. */
interface ExportWorkspaceOptions {
  workspace_id: string
  /** A path that does not exist yet. */
  to: string
  onProgress(what: string): void
}

/** A finished archive, with the digest of the whole file. */
interface ExportedArchive extends FileDigest {
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
const [ARCHIVE, ROWS] = ['archive', 'rows']
const ATTACHMENTS = 'attachments'

async function writeArchive(
  draft: string,
  storage: Storage,
  files: Files,
  workspace_id: string,
  onProgress: (what: string) => void,
) {
  const [path, rows] = [join(draft, ARCHIVE), join(draft, ROWS)]
  const tar = await createTarFile(path)
  try {
    const made_at = timestampOf(storage.clock.now())
    const parts: ArchiveManifest['parts'] = []
    const addPart = async (part: ArchivePart, lines: AsyncIterable<string>) => {
      let count = 0
      const chunks = inChunks(lines, () => {
        count += 1
      })
      const digest = await tar.add(partFilename(part), chunks)
      if (digest) parts.push({ part, lines: count, ...digest })
      onProgress(`${part}, ${count} lines`)
    }
    const workspace = await storage.snapshot({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
      const record = await loadExportable(tx)
      for (const part of ARCHIVE_PARTS) {
        const lines = serializePart(tx, storage.engine, part, record)
        // The lines of attachments come after their files, which are read once the snapshot is closed.
        if (part === ATTACHMENTS) await writeFile(rows, inChunks(lines), { mode: 0o600 })
        else await addPart(part, lines)
      }
      return record
    })
    const added: ArchiveManifest['files'] = { count: 0, bytes: 0, lost: 0 }
    const lost_examples: string[] = []
    await writeFile(`${rows}.known`, inChunks(addFiles()), { mode: 0o600 })
    await addPart(ATTACHMENTS, readFileLines(`${rows}.known`))
    const manifest: ArchiveManifest = {
      format: ARCHIVE_FORMAT,
      docket: docketVersion(),
      schema: MIGRATIONS.length,
      made_at,
      workspace: { id: workspace.id, name: workspace.name },
      parts,
      files: added,
    }
    const text = Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)
    await tar.add(ARCHIVE_MANIFEST_FILENAME, Readable.from([text]))
    await tar.finish()
    return { ...(await hashFile(path)), manifest, lost_examples }

    /** Adds the files of attachments, and gives the lines with the result for each. */
    async function* addFiles(): AsyncGenerator<string> {
      for await (const json of readFileLines(rows)) {
        const row = fromJson(json as Json<ArchiveLines['attachments']>)
        const isReadable = await addFile(row)
        if (isReadable) {
          added.count += 1
          added.bytes += row.size_bytes
          onProgress(`${added.count} files`)
        } else {
          added.lost += 1
          if (lost_examples.length < MAX_EXAMPLES) lost_examples.push(row.id)
        }
        yield serializeLine(ATTACHMENTS, { ...row, file: isReadable ? 'here' : 'lost' })
      }
    }

    /** Adds the bytes of an attachment. Returns whether they match its row. */
    async function addFile({ id, size_bytes, sha256 }: ArchiveLines['attachments']) {
      try {
        const range = { start: 0, end: size_bytes - 1 }
        const chunks = await files.read(fileKey(workspace_id, id), size_bytes, range)
        const isSame = (copy: { bytes: number; sha256: string }) =>
          copy.bytes === size_bytes && copy.sha256 === sha256
        return (await tar.add(attachmentFilename(id), chunks, isSame)) !== undefined
      } catch (error) {
        if (error instanceof ApiError && isMissingFile(error.cause)) return false
        throw error
      }
    }
  } finally {
    await tar.close()
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

/** Joins lines to chunks of bytes. */
async function* inChunks(
  lines: AsyncIterable<string>,
  onLine: () => void = () => {},
): AsyncGenerator<Buffer> {
  let text = ''
  for await (const line of lines) {
    onLine()
    text += `${line}\n`
    if (text.length < MAX_WRITE_LENGTH) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
