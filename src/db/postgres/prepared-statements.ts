import { hash } from 'node:crypto'
import type pg from 'pg'
import { postgresErrorCode } from './errors.ts'

/** How many names are cached; to compute one again takes microseconds. */
const MAX_CACHED_NAMES = 1_000
/**
 * The maximum number of prepared statements of a connection, apart from those that are being sent.
 * Each takes tens of kilobytes in its PostgreSQL process, and lists have thousands of combinations
 * of filters.
 */
export const MAX_PREPARED_STATEMENTS = 256

/** SQLSTATEs: the connection does not know a statement's name, or knows it already. */
const NAME_CONFLICT_CODES = new Set(['26000', '42P05'])

/** Names statements, so that a connection parses and plans each of them once. */
export interface StatementNames {
  /** An empty object behind a pooler that does not track prepared statements. */
  nameOf(sql: string): { name?: string }
  /**
   * Whether an error shows a pooler that switches connections without tracking prepared statements.
   * From then on no statement is named. The failed statement has changed nothing.
   */
  disableIfRejected(error: unknown): boolean
}

/**
 * A name is a hash of the whole statement. So even behind a pooler that mixes up connections, a name
 * never stands for another statement, whatever the version of Docket.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, string>()
  let isDisabled = false
  return {
    nameOf(sql) {
      if (isDisabled) return {}
      let name = names.get(sql)
      if (name === undefined) {
        if (names.size >= MAX_CACHED_NAMES) names.delete(names.keys().next().value ?? '')
        name = hash('sha256', sql).slice(0, 32)
        names.set(sql, name)
      }
      return { name }
    },
    disableIfRejected(error) {
      if (!NAME_CONFLICT_CODES.has(postgresErrorCode(error) ?? '')) return false
      isDisabled = true
      return true
    },
  }
}

/** What node-postgres knows of a connection's statements, by name. Its types do not mention it. */
interface StatementRecords {
  /** The server has confirmed them. */
  parsedStatements: Record<string, string>
  /** They were sent, and are not confirmed yet. */
  submittedNamedStatements: Record<string, string>
}

const hasStatementRecords = (
  connection: pg.Connection,
): connection is pg.Connection & StatementRecords =>
  'parsedStatements' in connection && 'submittedNamedStatements' in connection

/**
 * Makes a new connection close its least recently used statement before it prepares one beyond the
 * maximum. The protocol's Close message goes out with the messages of the new statement, so it costs
 * no round trip; a pooler that tracks prepared statements understands it, unlike DEALLOCATE.
 */
export function limitPreparedStatements({ connection }: Pick<pg.PoolClient, 'connection'>): void {
  if (!hasStatementRecords(connection)) throw new Error('This version of pg is not supported')
  const { parsedStatements, submittedNamedStatements } = connection
  /** The least recently used name first. */
  const names = new Set<string>()
  const parse = connection.parse.bind(connection)
  const bind = connection.bind.bind(connection)
  connection.parse = (statement, more) => {
    if (statement.name) closeOldest()
    parse(statement, more)
  }
  connection.bind = (config, more) => {
    const name = config?.statement
    if (name) {
      names.delete(name)
      names.add(name)
    }
    bind(config, more)
  }

  function closeOldest(): void {
    for (const name of names) {
      if (names.size < MAX_PREPARED_STATEMENTS) return
      // Its confirmation would arrive after it was closed, and count as that of an open statement.
      if (name in submittedNamedStatements) continue
      names.delete(name)
      // A statement that could not be parsed is not open.
      if (!(name in parsedStatements)) continue
      delete parsedStatements[name]
      connection.close({ type: 'S', name }, true)
    }
  }
}
