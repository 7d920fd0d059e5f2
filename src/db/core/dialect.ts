import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DatabaseEngine } from '#core/transaction.ts'
import type { Json } from '#lib/json.ts'

/**
 * How a field of a JSON record is written: from the column of the same name as it is, as a flag (0 or
 * 1), as JSON text that the column holds, or from an expression. `word` and `whole` are columns that
 * are never null: text without characters to escape (ids, times, keys), and integers.
 */
export type FieldSource =
  | 'plain'
  | 'word'
  | 'whole'
  | 'flag'
  | 'json'
  | Expression<unknown>
  | EscapedExpression

/** Texts and expressions that are joined, are never null and need no JSON escaping. */
interface EscapedExpression {
  word: readonly (string | RawBuilder<unknown>)[]
}

/** SQL that the two engines write differently. */
export interface Dialect {
  engine: DatabaseEngine
  /**
   * A record as JSON text, written by the database: this takes a third of the time of reading rows and
   * calling JSON.stringify. On SQLite the fields from `kept.from` to `kept.to` are stored as text in a column.
   */
  json<T>(
    table: string,
    fields: { [K in keyof T]-?: FieldSource },
    kept?: { from: keyof T; to: keyof T; column: string },
  ): RawBuilder<Json<T>>
  /**
   * The same condition, for which SQLite uses no index: it knows nothing of the values, and would rather
   * read and sort half of a table than walk along the order of a page. PostgreSQL has statistics.
   */
  withoutIndex(condition: RawBuilder<SqlBool>): RawBuilder<SqlBool>
  /** The elements of a JSON array as rows with a column `value`. */
  jsonElements(array: RawBuilder<unknown>): RawBuilder<unknown>
  /** Whether a column or expression has one of the values in a list, which is bound as a JSON array. */
  inList(column: string | RawBuilder<unknown>, list: unknown): RawBuilder<SqlBool>
  /** Whether a column of integers has one of the values in a list. */
  inNumberList(column: string, list: unknown): RawBuilder<SqlBool>
  /** Whether each string in a list is a prefix of a word in a column of words (` one two`). */
  hasAllWords(column: string, list: unknown): RawBuilder<SqlBool>
  /**
   * Whether a task has the words of `search`, which is the result of `toIndexQuery`. Finds all such
   * tasks first, so it is for statements that read all tasks.
   */
  taskHasWords(table: string, workspace: unknown, search: unknown): RawBuilder<SqlBool>
  /**
   * The same, for statements that end when a page is full: reads only the words or the text of the
   * tasks that they come to.
   */
  taskTextHasWords(table: string, workspace: unknown, search: unknown): RawBuilder<SqlBool>
  /** Selects the ids of such tasks, unsorted. */
  selectTasksWithWords(workspace: unknown, search: unknown): RawBuilder<unknown>
  /**
   * Selects as `key` the join keys (see `keyed`) of the newest tasks or comments that have the words,
   * up to a limit.
   */
  selectNewestWithWords(
    of: SearchableRecord,
    $: { workspace_id: unknown; search: unknown },
    whole: boolean,
    limit: unknown,
  ): RawBuilder<unknown>
  /** Joins the tasks or comments to a selection named `found` that has such keys. */
  joinFoundRecords(of: SearchableRecord, workspace: unknown): RawBuilder<unknown>
}

type SearchableRecord = 'task' | 'comment'

export const dialects: Record<DatabaseEngine, Dialect> = {
  sqlite: {
    engine: 'sqlite',
    json: (table, fields, kept) => {
      const parts = jsonParts(table, fields, SQLITE_QUOTES, kept)
      return sql`concat(${sql.join(parts)})`
    },
    withoutIndex: (condition) => sql`+(${condition})`,
    jsonElements: (array) => sql`json_each(${array})`,
    inList: (column, list) => sql`${toRef(column)} in (select value from json_each(${list}))`,
    inNumberList: (column, list) =>
      sql`${sql.ref(column)} in (select value from json_each(${list}))`,
    hasAllWords: (column, list) =>
      sql`json_array_length(${list}) > 0 and not exists (select 1 from json_each(${list}) as w
        where ${sql.ref(column)} not like '% ' || w.value || '%')`,
    taskHasWords: (table, _, search) =>
      // The unary plus keeps SQLite from starting its plan here, which would fetch every task that
      // has the words.
      sql`+${sql.ref(`${table}.search_id`)} in (select rowid from task_words
        where task_words match ${fts5Query(search, false)})`,
    taskTextHasWords: (table, _, search) =>
      sql`has_search_words(${sql.ref(`${table}.title`)}, ${sql.ref(`${table}.description`)}, ${search})`,
    selectTasksWithWords: (workspace, search) => sql`select tasks.id from task_words
        cross join tasks on tasks.search_id = task_words.rowid and tasks.workspace_id = ${workspace}
        where task_words match ${fts5Query(search, false)}`,
    selectNewestWithWords: (of, { search }, whole, limit) => {
      const index = sql.table(`${of}_words`)
      return sql`select rowid as key from ${index} where ${index} match ${fts5Query(search, whole)}
        order by rowid desc limit ${limit}`
    },
    joinFoundRecords: (of, workspace) =>
      of === 'task'
        ? sql`left join tasks on tasks.search_id = found.key and tasks.workspace_id = ${workspace}`
        : sql`left join searched_comments as numbered on numbered.search_id = found.key
            left join comments on comments.workspace_id = ${workspace}
              and comments.id = numbered.comment_id and numbered.workspace_id = ${workspace}`,
  },
  postgres: {
    engine: 'postgres',
    json: (table, fields) => {
      // Not concat(), whose parameters have no type on PostgreSQL. A page of tasks takes two thirds of
      // the time that row_to_json takes.
      const parts = jsonParts(table, fields, POSTGRES_QUOTES)
      return sql`(${sql.join(parts, sql` || `)})`
    },
    withoutIndex: (condition) => condition,
    jsonElements: (array) => sql`json_array_elements(${array}::json)`,
    inList: (column, list) =>
      sql`${toRef(column)} = any(array(select json_array_elements_text(${list}::json)))`,
    inNumberList: (column, list) =>
      sql`${sql.ref(column)} = any(array(select json_array_elements_text(${list}::json)::integer))`,
    hasAllWords: (column, list) =>
      sql`json_array_length(${list}::json) > 0 and not exists (
        select 1 from json_array_elements_text(${list}::json) as w (value)
        where ${sql.ref(column)} not like '% ' || w.value || '%')`,
    taskHasWords: (table, workspace, search) =>
      sql`${sql.ref(`${table}.id`)} in (select found.task_id from task_words as found
        where found.workspace_id = ${workspace} and found.words @@ ${tsquery(search, false)})`,
    taskTextHasWords: (table, workspace, search) =>
      sql`(select found.words from task_words as found where found.workspace_id = ${workspace}
        and found.task_id = ${sql.ref(`${table}.id`)}) @@ ${tsquery(search, false)}`,
    selectTasksWithWords: (workspace, search) => sql`select task_id as id from task_words
        where workspace_id = ${workspace} and words @@ ${tsquery(search, false)}`,
    selectNewestWithWords: (of, { workspace_id, search }, whole, limit) => {
      const [id, index] = [sql.ref(`${of}_id`), sql.table(`${of}_words`)]
      return sql`select ${id} as key from ${index}
        where workspace_id = ${workspace_id} and words @@ ${tsquery(search, whole)}
        order by ${id} desc limit ${limit}`
    },
    joinFoundRecords: (of, workspace) => {
      const table = sql.table(`${of}s`)
      return sql`left join ${table} on ${table}.workspace_id = ${workspace} and ${table}.id = found.key`
    },
  },
}

const toRef = (column: string | RawBuilder<unknown>) =>
  typeof column === 'string' ? sql.ref(column) : column

/** The words of a search in the syntax of FTS5: `"prefix"* "word"`. No word contains a quote. */
const fts5Query = (search: unknown, whole: boolean) =>
  sql`replace('"' || replace(${search}, ' ', '" "') || '"', '*"', ${sql.lit(whole ? '"' : '"*')})`

/** The words of a search in the syntax of PostgreSQL: `'prefix':* & 'word'`. */
const tsquery = (search: unknown, whole: boolean) =>
  sql`replace('''' || replace(${search}, ' ', ''' & ''') || '''', '*''', ${sql.lit(whole ? "'" : "':*")})::tsquery`

type JsonPart = string | RawBuilder<unknown>

/** How a value that may be null is converted to JSON text. */
interface Quotes {
  column(value: RawBuilder<unknown>): RawBuilder<unknown>
  /** An expression is written once, because it may be a statement. */
  expression(value: Expression<unknown>): RawBuilder<unknown>
}

const SQLITE_QUOTES: Quotes = {
  // Most such columns are null, for which no function is called.
  column: (value) => sql`case when ${value} is null then 'null' else json_quote(${value}) end`,
  expression: (value) => sql`json_quote(${value})`,
}

const quoteOnce = (value: Expression<unknown>) => sql`coalesce(to_json(${value})::text, 'null')`
const POSTGRES_QUOTES: Quotes = { column: quoteOnce, expression: quoteOnce }

/**
 * The parts whose concatenation is the JSON of a record. On SQLite, 50 tasks take 80 µs this way;
 * json_object with json() for each stored array takes 140 µs.
 */
function jsonParts(
  table: string,
  fields: Readonly<Record<string, FieldSource>>,
  quotes: Quotes,
  kept?: { from: PropertyKey; to: PropertyKey; column: string },
): RawBuilder<unknown>[] {
  const parts: JsonPart[] = []
  let isKept = false
  for (const [name, source] of Object.entries(fields)) {
    if (name === kept?.from) {
      isKept = true
      parts.push(sql.ref(`${table}.${kept.column}`))
    }
    if (isKept) {
      isKept = name !== kept?.to
      continue
    }
    parts.push(`${parts.length === 0 ? '{' : ','}"${name}":`)
    parts.push(...jsonTextParts(sql.ref(`${table}.${name}`), source, quotes))
  }
  return toPieces([...parts, '}'])
}

/** A field's value as JSON text. */
function jsonTextParts(
  column: RawBuilder<unknown>,
  source: FieldSource,
  quotes: Quotes,
): JsonPart[] {
  switch (source) {
    case 'word':
      return ['"', column, '"']
    case 'whole':
      return [column]
    case 'json':
      return [sql`coalesce(${column}, 'null')`]
    case 'flag':
      return [sql`case ${column} when 1 then 'true' else 'false' end`]
    case 'plain':
      return [quotes.column(column)]
    default:
      return 'word' in source ? ['"', ...source.word, '"'] : [quotes.expression(source)]
  }
}

/** Merges adjacent literals. */
function toPieces(parts: readonly JsonPart[]): RawBuilder<unknown>[] {
  const joined: JsonPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (typeof part === 'string' && typeof last === 'string') joined.splice(-1, 1, last + part)
    else joined.push(part)
  }
  return joined.map((part) => (typeof part === 'string' ? sql.lit(part) : part))
}
