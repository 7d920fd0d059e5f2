import type pg from 'pg'
import type { SchemaEventListener } from '../migrate/schema-version.ts'

/** The oldest and the newest major version of PostgreSQL that Docket is tested on. */
const [OLDEST_MAJOR, NEWEST_MAJOR] = [15, 18]
const RANGE = `${OLDEST_MAJOR} to ${NEWEST_MAJOR}`

/** What is wrong with a version of PostgreSQL. */
export interface PostgresVersionProblem {
  /** Whether Docket refuses to start on it. */
  isRefused: boolean
  message: string
}

/** Judges a version such as `18.4` or `19beta1`; undefined if it is supported. */
export function findPostgresVersionProblem(version: string): PostgresVersionProblem | undefined {
  const major = Number.parseInt(version, 10)
  if (major < OLDEST_MAJOR) {
    const message = `PostgreSQL ${version} is too old: Docket supports ${RANGE}. Upgrade PostgreSQL.`
    return { isRefused: true, message }
  }
  if (major <= NEWEST_MAJOR) return undefined
  return {
    isRefused: false,
    message: `PostgreSQL ${version} is newer than those that this release of Docket is tested on (${RANGE})`,
  }
}

/** Throws on a server that is too old, and reports one that is newer than those tested. */
export async function assertSupportedVersion(
  db: Pick<pg.Client, 'query'>,
  onEvent: SchemaEventListener = () => {},
): Promise<void> {
  const { rows } = await db.query("select current_setting('server_version') as version")
  const problem = findPostgresVersionProblem(String(rows[0]?.version))
  if (problem?.isRefused) throw new Error(problem.message)
  if (problem) onEvent(problem.message, {})
}
