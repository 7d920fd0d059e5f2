import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { MemoryStore, type MirroredRecords, type MirrorPage, type MirrorStore } from './changes.ts'
import type { ChangeType } from './types.ts'

const HEADER = '{"format":"docket-mirror-1"}'
const NEWLINE = 10
/** How many changes are worth a new file, beside as many as there are records. */
const MAX_OUTDATED_CHANGES = 10_000
const REWRITTEN_PAGE_SIZE = 500

/**
 * Keeps a mirror in memory and in a file. Each page is a line that is on the disk before `apply` ends. After a
 * crash the last line may be incomplete, and is dropped. When most lines are outdated, the file is
 * replaced as a whole.
 */
export class FileStore extends MemoryStore {
  readonly #path: string
  /** The end of the last whole line, in bytes. */
  #length = 0
  /** The changes in the file, also those that have been outdated by others. */
  #changes = 0

  private constructor(path: string) {
    super()
    this.#path = path
  }

  /** Opens the file, or creates it. Only one program at a time may use it. */
  static async open(path: string): Promise<FileStore> {
    const store = new FileStore(path)
    const bytes = await readFile(path).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (bytes === undefined) await store.#rewrite()
    else await store.#load(bytes)
    return store
  }

  override async apply(page: MirrorPage): Promise<void> {
    // Also after a write of its own that has failed, and left a part of a line.
    if ((await stat(this.#path)).size !== this.#length)
      throw new Error(`${this.#path} was changed by another program, or in part. Open it again.`)
    // The newline comes first: any part of a line is no JSON, while a line without its end would be.
    const line = Buffer.from(`\n${JSON.stringify(page)}`)
    await withFile(this.#path, 'a', async (file) => {
      await file.appendFile(line)
      await file.datasync()
    })
    this.#applyLine(page, line.length)
    const outdated = this.#changes - this.changes().length
    if (!page.has_more && outdated > this.changes().length + MAX_OUTDATED_CHANGES)
      await this.#rewrite()
  }

  #applyLine(page: MirrorPage, length: number): void {
    super.apply(page)
    this.#length += length
    this.#changes += page.data.length
  }

  async #load(bytes: Buffer): Promise<void> {
    const headerEnd = bytes.indexOf(NEWLINE)
    if (bytes.toString('utf8', 0, headerEnd < 0 ? bytes.length : headerEnd) !== HEADER)
      throw new Error(`${this.#path} is no mirror. Name another file.`)
    this.#length = HEADER.length
    while (this.#length < bytes.length) {
      const next = bytes.indexOf(NEWLINE, this.#length + 1)
      const end = next < 0 ? bytes.length : next
      const page = parsePage(bytes.toString('utf8', this.#length + 1, end))
      if (page) this.#applyLine(page, end - this.#length)
      else if (next >= 0) throw new Error(`${this.#path} is damaged at byte ${this.#length}.`)
      else return withFile(this.#path, 'r+', (file) => file.truncate(this.#length))
    }
  }

  /** Replaces the file by one that has only the present records. */
  async #rewrite(): Promise<void> {
    const temporary = `${this.#path}.tmp`
    const changes = this.changes()
    const position = this.readPosition()
    const length = await withFile(temporary, 'w', async (file) => {
      await file.appendFile(HEADER)
      for (let start = 0; position !== undefined; start += REWRITTEN_PAGE_SIZE) {
        const data = changes.slice(start, start + REWRITTEN_PAGE_SIZE)
        const has_more = start + REWRITTEN_PAGE_SIZE < changes.length
        const page: MirrorPage = { data, position, has_more, is_first: start === 0 }
        await file.appendFile(`\n${JSON.stringify(page)}`)
        if (!has_more) break
      }
      await file.sync()
      return (await file.stat()).size
    })
    await rename(temporary, this.#path)
    this.#length = length
    this.#changes = changes.length
    // The new name must be on the disk, too. Windows cannot open folders.
    if (process.platform !== 'win32')
      await withFile(dirname(this.#path), 'r', (folder) => folder.sync())
  }
}

async function withFile<Result>(
  path: string,
  flags: string,
  work: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  // Nobody else may read what only the owner of the token may.
  const file = await open(path, flags, 0o600)
  try {
    return await work(file)
  } finally {
    await file.close()
  }
}

function parsePage(line: string): MirrorPage | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** `page` has what is not exact yet; `record` is for reading by other programs, too. */
const SCHEMA = `
  pragma journal_mode = wal;
  pragma busy_timeout = 5000;
  create table if not exists mirror (id integer primary key check (id = 1), position text) strict;
  insert or ignore into mirror (id) values (1);
  create table if not exists page (id integer primary key, json text not null) strict;
  create table if not exists record (
    type text not null,
    id text not null,
    project_id text,
    task_id text,
    record text not null,
    primary key (type, id)
  ) strict;
  create index if not exists record_project on record (project_id);
  create index if not exists record_task on record (task_id) where task_id is not null;
`

/**
 * Keeps a mirror in an SQLite database, for workspaces that are too large for memory and for queries. Its
 * table `record` has always been exact at one moment: `select record ->> 'title' from record where type = 'task'`.
 */
export class SqliteStore implements MirrorStore {
  readonly #database: DatabaseSync
  #position: string | undefined

  private constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(SCHEMA)
  }

  /** Opens the database, or creates it. Other programs may read it meanwhile. */
  static async open(path: string): Promise<SqliteStore> {
    const { DatabaseSync } = await import('node:sqlite').catch((cause) => {
      throw new Error('The SQLite store needs Node 22.13 or later', { cause })
    })
    return new SqliteStore(new DatabaseSync(path))
  }

  readPosition(): string | undefined {
    const row = this.#database.prepare('select position from mirror').get()
    this.#position = typeof row?.position === 'string' ? row.position : undefined
    return this.#position
  }

  apply(page: MirrorPage): void {
    const database = this.#database
    database.exec('begin immediate')
    try {
      const { changes } = database
        .prepare('update mirror set position = ? where position is ?')
        .run(page.position, this.#position ?? null)
      if (changes !== 1) throw new Error('Another program has updated this mirror')
      if (page.is_first) database.exec('delete from page')
      database.prepare('insert into page (json) values (?)').run(JSON.stringify(page))
      if (!page.has_more) this.#applyPages()
      database.exec('commit')
    } catch (error) {
      database.exec('rollback')
      throw error
    }
    this.#position = page.position
  }

  #applyPages(): void {
    const database = this.#database
    const put = database.prepare('insert or replace into record values (?, ?, ?, ?, ?)')
    const remove = database.prepare('delete from record where type = ? and id = ?')
    const removeOfTask = database.prepare('delete from record where task_id = ?')
    const removeOfProject = database.prepare('delete from record where project_id = ?')
    for (const { json } of database.prepare('select json from page order by id').iterate()) {
      const { data, is_first }: MirrorPage = JSON.parse(String(json))
      if (is_first) database.exec('delete from record')
      for (const { op, type, id, project_id = null, record } of data) {
        if (op === 'put') {
          const task_id = typeof record?.task_id === 'string' ? record.task_id : null
          put.run(type, id, project_id, task_id, JSON.stringify(record))
          continue
        }
        remove.run(type, id)
        if (op === 'reset') removeOfProject.run(id)
        else if (type === 'task') removeOfTask.run(id)
      }
    }
    database.exec('delete from page')
  }

  /** The record with this id; undefined if there is none. */
  get<Type extends ChangeType>(type: Type, id: string): MirroredRecords[Type] | undefined {
    const select = 'select record from record where type = ? and id = ?'
    const row = this.#database.prepare(select).get(type, id)
    return row && JSON.parse(String(row.record))
  }

  /** All records of a type, in no particular order. */
  list<Type extends ChangeType>(type: Type): MirroredRecords[Type][] {
    const rows = this.#database.prepare('select record from record where type = ?').all(type)
    return rows.map(({ record }) => JSON.parse(String(record)))
  }

  close(): void {
    this.#database.close()
  }
}
