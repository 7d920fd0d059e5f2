import type { Engine } from '#core/tx.ts'
import type { Worded } from '../dialect.ts'
import type { Key, Shape, Span } from './line.ts'

/** Rows that are read together. */
export interface Chunk {
  /** One a row, without line feeds. */
  lines: string[]
  /** Up to where they reach; undefined: there are no more. */
  upTo: Key | undefined
}

/** About so much is read together. */
export interface Most {
  rows: number
  bytes: number
}

/** A database that is moved, or to which one is moved. */
export interface End {
  engine: Engine
  /** Some tables as they are here, by name; or all, on SQLite, where nobody keeps others beside. */
  shapes(of?: readonly string[]): Promise<Shape[]>
  /** How many rows a table has; `where they lie`: not counted in an index, which takes longer. */
  count(table: string, how?: 'where they lie'): Promise<number>
  /** The next rows after a key, in the order of keys. */
  read(shape: Shape, after: Key | undefined, most: Most): Promise<Chunk>
  /** Gives the line of each row of a span, in the order of keys, with its line feed. */
  scan(shape: Shape, span: Span, take: (line: string | Uint8Array) => void): Promise<void>
  close(): Promise<void>
}

/** The end from which all is read. */
export interface Source extends End {
  /** Migrations that it has seen. */
  schema: number
}

/** A range of a table that is on the target: rows after those of the range before, up to its end. */
export interface Range {
  kind: 'range'
  table: string
  /** Undefined: the table ends with it. */
  upTo?: Key | undefined
  rows: number
  /** SHA-256 of its lines as the source gave them, in hex; empty where there are only words. */
  digest: string
  /** The run of the command that wrote it. */
  run: string
}

/** Something that is to be made when all rows are there: an index, or a reference. */
export interface Later {
  kind: 'later'
  name: string
  sql: string
}

/** What the target remembers of a move that is under way, beside the rows. */
export type Note = { kind: 'source'; id: string } | Later | Range

/** The words of a task or comment, as `indexed` gives them. */
export interface Words {
  workspace_id: string
  id: string
  words: string
}

/** The end to which all is written. */
export interface Target extends End {
  /** What it remembers of this very move; undefined: it was empty, and is ready now. */
  begin(sourceId: string): Promise<Range[] | undefined>
  /** Writes rows and their range together. */
  write(shape: Shape, lines: readonly string[], range: Range): Promise<void>
  /** The same of words. */
  writeWords(of: Worded, words: readonly Words[], range: Range): Promise<void>
  /** Makes indexes and references, each once. */
  complete(told: (what: string) => void): Promise<void>
  /** Sets values of the installation and forgets that anything was moved: from now on it may be served. */
  finish(values: Readonly<Record<string, string>>): Promise<void>
}

/** Tables that are made anew from others. */
export const DERIVED = ['task_words', 'comment_words', 'searched_comments']

/** The table of notes. As long as it is there no Docket opens the database. */
export const NOTES = 'unfinished_move'

export const NOTES_TABLE = `create table ${NOTES} (n integer primary key, note text not null)`

/** Refuses to open a database in which a move is not finished. */
export function refuseUnfinished(found: boolean): void {
  if (!found) return
  throw new Error(
    'This database is being filled by docket migrate-to, or was when that was broken off: ' +
      'run the same command again, and it goes on; or empty the database.',
  )
}
