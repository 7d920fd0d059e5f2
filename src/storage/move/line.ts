/** A column of a table that both engines have. */
export interface Column {
  name: string
  /** Whether it holds whole numbers; else text. */
  whole: boolean
}

/** A table as both engines have it. */
export interface Shape {
  table: string
  /** Those of the key come first, in its order. */
  columns: readonly Column[]
  /** How many of them are the key: no two rows have the same, and none of it is null. */
  key: number
}

/** Where a row stands in its table: the fields of its key, as text. */
export type Key = readonly string[]

/** Rows between two keys: after the first, and the second with them. Without one: to the end. */
export interface Span {
  after: Key | undefined
  upTo: Key | undefined
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
const MEANT = new Map(Object.entries(ESCAPED).map(([meant, written]) => [written, meant]))

/**
 * The one text that a row has on both engines, without its line feed: the text format of COPY. What
 * PostgreSQL reads and writes by itself is so what is compared.
 */
export function lineOf(values: readonly unknown[]): string {
  let line = ''
  for (let at = 0; at < values.length; at += 1) line += (at > 0 ? '\t' : '') + fieldOf(values[at])
  return line
}

function fieldOf(value: unknown): string {
  if (value === null) return NULL
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string') throw new Error(`A row holds a ${typeof value}`)
  if (!SPECIAL.test(value)) return value
  return value.replace(EACH_SPECIAL, (sign) => ESCAPED[sign] ?? sign)
}

/** What a line was made of; whole numbers come as text. */
export function fieldsOf(line: string): (string | null)[] {
  return line.split('\t').map((field) => {
    if (field === NULL) return null
    if (!field.includes('\\')) return field
    return field.replace(/\\./g, (written) => MEANT.get(written) ?? written)
  })
}

/** The key of a line. */
export const keyOf = (shape: Shape, line: string): Key =>
  fieldsOf(line)
    .slice(0, shape.key)
    .map((field) => field ?? '')

/** Puts the columns of a table into the order of its lines. */
export function shapeOf(
  table: string,
  key: readonly string[],
  found: readonly { name: string; type: string }[],
): Shape {
  const rest = found.filter(({ name }) => !key.includes(name)).map(({ name }) => name)
  const columns = [...key, ...rest.toSorted()].map((name) => {
    const type = found.find((column) => column.name === name)?.type.toLowerCase() ?? 'missing'
    if (!/^(text|integer|bigint)$/.test(type)) throw new Error(`${table}.${name} is ${type}`)
    return { name, whole: type !== 'text' }
  })
  if (key.length === 0) throw new Error(`${table} has no key`)
  return { table, columns, key: key.length }
}

/** A condition over the columns of a key, such as `(a, b) > (?, ?)`. */
export function besideKey(
  shape: Shape,
  comparison: '>' | '<=',
  key: Key,
  literal: (field: string, at: number) => string,
): string {
  const columns = shape.columns.slice(0, shape.key).map(({ name }) => `"${name}"`)
  return `(${columns.join()}) ${comparison} (${key.map(literal).join()})`
}

/** The list of some columns, for a statement. */
export const columnsIn = (columns: readonly Column[]): string =>
  columns.map(({ name }) => `"${name}"`).join()
