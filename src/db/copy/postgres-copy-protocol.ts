import type { Client, Connection, Submittable } from 'pg'

declare module 'pg' {
  interface Connection {
    sendCopyFromChunk(bytes: Uint8Array): void
    endCopyFrom(): void
  }
}

/** A COPY statement for the driver: it sends bytes or receives rows. */
class CopyStatement implements Submittable {
  readonly done: Promise<void>
  readonly text: string
  readonly bytes: Uint8Array | undefined
  readonly take: (row: Uint8Array) => unknown
  readonly handleReadyForQuery: () => void
  readonly handleError: (error: unknown) => void

  constructor(text: string, bytes: Uint8Array | undefined, take: (row: Uint8Array) => unknown) {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.text = text
    this.bytes = bytes
    this.take = take
    this.done = promise
    this.handleReadyForQuery = resolve
    this.handleError = reject
  }

  submit(connection: Connection): void {
    connection.query(this.text)
  }

  handleCopyInResponse(connection: Connection): void {
    if (this.bytes) connection.sendCopyFromChunk(this.bytes)
    connection.endCopyFrom()
  }

  handleCopyData({ chunk }: { chunk: Uint8Array }, { stream }: Connection): void {
    const pending = this.take(chunk)
    if (!(pending instanceof Promise)) return
    stream.pause()
    pending.then(() => stream.resume(), this.handleError)
  }

  handleCommandComplete(): void {}
}

/** Runs `copy … from stdin` with all lines at once. */
export const copyIn = (client: Client, text: string, bytes: Uint8Array): Promise<void> =>
  client.query(new CopyStatement(text, bytes, () => {})).done

/**
 * Runs `copy … to stdout`. A row is a view of the driver's buffer, valid until `take` ends. Where `take`
 * returns a promise, the connection is not read until it is fulfilled, but for the rows that the driver
 * has already received. If it is rejected, so is the copy, and the connection is of no more use.
 */
export const copyOut = (
  client: Client,
  text: string,
  take: (row: Uint8Array) => unknown,
): Promise<void> => client.query(new CopyStatement(text, undefined, take)).done

/** Decodes a row that `copyOut` passes, without its line feed. */
export const copiedLine = (row: Uint8Array): string =>
  Buffer.from(row.buffer, row.byteOffset, row.length - 1).toString()

/** A column that the table has on both engines. */
interface CopyColumn {
  name: string
  /** Whether it holds integers; otherwise text. */
  isInteger: boolean
}

/** A table in the order of columns that both engines use for a copy. */
export interface CopyTable {
  table: string
  /** The columns of the key come first, in the key's order. */
  columns: readonly CopyColumn[]
  /** How many columns form the key, which is unique and not null. */
  keyLength: number
}

/** The key of a row: its fields as text. */
export type RowKey = readonly string[]

/** A range of rows: `after` is exclusive and `upTo` inclusive; undefined means unbounded. */
export interface RowKeyRange {
  after: RowKey | undefined
  upTo: RowKey | undefined
}

const NULL = '\\N'
const ESCAPED: Record<string, string> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
}
const SPECIAL = /[\\\b\t\n\v\f\r]/
const EACH_SPECIAL = new RegExp(SPECIAL, 'g')
const UNESCAPED = new Map(
  Object.entries(ESCAPED).map(([character, escaped]) => [escaped, character]),
)

/**
 * Formats a row in PostgreSQL's COPY text format, without the line feed. Both engines use this format,
 * so PostgreSQL's own output can be compared directly.
 */
export function formatCopyRow(values: readonly unknown[]): string {
  let line = ''
  for (let at = 0; at < values.length; at += 1)
    line += (at > 0 ? '\t' : '') + formatField(values[at])
  return line
}

function formatField(value: unknown): string {
  if (value === null) return NULL
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new Error(`A row holds a ${typeof value}`)
  if (!SPECIAL.test(value)) return value
  return value.replace(EACH_SPECIAL, (sign) => ESCAPED[sign] ?? sign)
}

/** Parses a line into its fields; integers are returned as text. */
export function parseCopyRow(line: string): (string | null)[] {
  return line.split('\t').map((field) => {
    if (field === NULL) return null
    if (!field.includes('\\')) return field
    return field.replace(/\\./g, (escaped) => UNESCAPED.get(escaped) ?? escaped)
  })
}

/**
 * Parses the key of a line. The fields are copied: parts of a string keep all of it in memory, and
 * the keys of all ranges are kept.
 */
export const rowKeyOfLine = (shape: CopyTable, line: string): RowKey =>
  parseCopyRow(line)
    .slice(0, shape.keyLength)
    .map((field) => Buffer.from(field ?? '').toString())

/** Orders the columns of a table as in its lines. */
export function createCopyTable(
  table: string,
  key: readonly string[],
  found: readonly { name: string; type: string }[],
): CopyTable {
  const rest = found.filter(({ name }) => !key.includes(name)).map(({ name }) => name)
  const columns = [...key, ...rest.toSorted()].map((name) => {
    const type = found.find((column) => column.name === name)?.type.toLowerCase() ?? 'missing'
    if (!/^(text|integer|bigint)$/.test(type)) throw new Error(`${table}.${name} is ${type}`)
    return { name, isInteger: type !== 'text' }
  })
  if (key.length === 0) throw new Error(`${table} has no key`)
  return { table, columns, keyLength: key.length }
}

/** A condition on the key columns, such as `(a, b) > (?, ?)`. */
export function keyCondition(
  shape: CopyTable,
  comparison: '>' | '<=',
  key: RowKey,
  literal: (field: string, at: number) => string,
): string {
  const columns = shape.columns.slice(0, shape.keyLength).map(({ name }) => `"${name}"`)
  return `(${columns.join()}) ${comparison} (${key.map(literal).join()})`
}

/** A quoted column list for a statement. */
export const columnList = (columns: readonly CopyColumn[]): string =>
  columns.map(({ name }) => `"${name}"`).join()
