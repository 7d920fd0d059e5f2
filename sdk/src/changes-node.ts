import { open, readFile } from 'node:fs/promises'
import type { DatabaseSync } from 'node:sqlite'
import { MemoryStore, type MirroredRecord, type MirrorPage, type MirrorStore } from './changes.ts'
import { replaceFile } from './replace-file-node.ts'
import type { ChangeType } from './types.ts'

/**
 * Keeps a mirror in memory and in a JSON file. Each time that the mirror is exact, the file is replaced as a
 * whole: a crash leaves the old or the new one. Its `data` has all records, as changes that make the mirror.
 */
export class FileStore extends MemoryStore {
  readonly #path: string

  private constructor(path: string) {
    super()
    this.#path = path
  }

  /** Opens the file, or begins one. Only one program at a time may use it. */
  static async open(path: string): Promise<FileStore> {
    const store = new FileStore(path)
    const text = await readFile(path, 'utf8').catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (text !== undefined) await store.#load(text)
    return store
  }

  override async apply(page: MirrorPage): Promise<void> {
    await super.apply(page)
    if (page.has_more) return
    const all: MirrorPage = { ...page, data: this.changes(), is_first: true }
    await replaceFile(this.#path, JSON.stringify(all))
  }

  async #load(text: string): Promise<void> {
    try {
      await super.apply(JSON.parse(text))
    } catch (cause) {
      throw new Error(`${this.#path} is no mirror. Name another file.`, { cause })
    }
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
    // Nobody else may read what only the owner of the token may.
    await (await open(path, 'a', 0o600)).close()
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
          const task_id = 'task_id' in record ? record.task_id : null
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
  get<Type extends ChangeType>(type: Type, id: string): MirroredRecord<Type> | undefined {
    const select = 'select record from record where type = ? and id = ?'
    const row = this.#database.prepare(select).get(type, id)
    return row && JSON.parse(String(row.record))
  }

  /** All records of a type, in no particular order. */
  list<Type extends ChangeType>(type: Type): MirroredRecord<Type>[] {
    const rows = this.#database.prepare('select record from record where type = ?').all(type)
    return rows.map(({ record }) => JSON.parse(String(record)))
  }

  close(): void {
    this.#database.close()
  }
}
