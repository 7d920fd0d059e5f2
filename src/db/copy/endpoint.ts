import type { DatabaseEngine } from '#core/transaction.ts'
import type { SearchableRecord } from '../core/dialect.ts'
import type { CopyTable, RowKey, RowKeyRange } from './postgres-copy-protocol.ts'

/** A batch of rows. */
export interface CopyChunk {
  /** One line per row, without line feeds. */
  lines: string[]
  /** The key of the last row; undefined if there are no more rows. */
  upTo: RowKey | undefined
}

/** The approximate size of a chunk. */
export interface CopyChunkLimit {
  rows: number
  bytes: number
}

/** The source or the target of a copy between databases. */
export interface CopyEndpoint {
  engine: DatabaseEngine
  /**
   * The tables with the given names, or all tables. All are safe on SQLite, whose file holds no other
   * program's tables.
   */
  listTables(of?: readonly string[]): Promise<CopyTable[]>
  /** How many rows a table has; `where they lie` counts in the table itself, which takes longer. */
  count(table: string, how?: 'where they lie'): Promise<number>
  /** Reads the next rows after a key, in key order. */
  read(shape: CopyTable, after: RowKey | undefined, limit: CopyChunkLimit): Promise<CopyChunk>
  /** Passes the line of each row in a key range, in key order and with its line feed. */
  scan(
    shape: CopyTable,
    span: RowKeyRange,
    take: (line: string | Uint8Array) => void,
  ): Promise<void>
  close(): Promise<void>
}

/** The database that is read. */
export interface CopySource extends CopyEndpoint {
  /** Its schema version, as a number of migrations. */
  schema: number
}

/** A copied range of a table: the rows after the previous range, up to and including `upTo`. */
export interface CopyRange {
  kind: 'range'
  table: string
  /** The key of the last row; undefined if it is the last range of the table. */
  upTo?: RowKey | undefined
  rows: number
  /** SHA-256 of the source's lines, in hex; empty for derived search words. */
  digest: string
  /** The id of the command run that wrote it. */
  run: string
}

/** An index or foreign key to create once all rows are copied. */
export interface DeferredStatement {
  kind: 'later'
  name: string
  sql: string
}

/** An entry of the journal that the target keeps during a copy. */
export type CopyJournalEntry = { kind: 'source'; id: string } | DeferredStatement | CopyRange

/** The search words of a task or comment, as they are indexed. */
export interface RecordWords {
  workspace_id: string
  id: string
  words: string
}

/** The database that is written. */
export interface CopyTarget extends CopyEndpoint {
  /** Prepares an empty target, or returns the ranges that this same copy has already written. */
  begin(sourceId: string): Promise<CopyRange[] | undefined>
  /** Writes rows and their range in one transaction. */
  write(shape: CopyTable, lines: readonly string[], range: CopyRange): Promise<void>
  /** Writes search words and their range in one transaction. */
  writeWords(of: SearchableRecord, words: readonly RecordWords[], range: CopyRange): Promise<void>
  /** Creates the deferred indexes and foreign keys, each once. */
  complete(onProgress: (step: string) => void): Promise<void>
  /**
   * Sets values of `installation`, ends the leases of the source's processes and drops the journal:
   * from now on the target can be opened.
   */
  finish(values: Readonly<Record<string, string>>): Promise<void>
}

/** Tables that are rebuilt from other tables instead of copied. */
export const DERIVED_TABLES = ['task_words', 'comment_words', 'searched_comments']

/** The journal's table. While it exists, Docket refuses to open the database. */
export const COPY_JOURNAL_TABLE = 'unfinished_migration'

export const CREATE_COPY_JOURNAL_SQL = `create table ${COPY_JOURNAL_TABLE} (n integer primary key, note text not null)`

/** Refuses to open a database with an unfinished copy. */
export function assertNoUnfinishedCopy(isUnfinished: boolean): void {
  if (!isUnfinished) return
  throw new Error(
    'This database is being filled by docket migrate-to, or was when that was broken off: ' +
      'run the same command again, and it goes on; or empty the database.',
  )
}
