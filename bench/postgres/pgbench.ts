import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/** A statement that was sent to PostgreSQL. */
interface CapturedStatement {
  text: string
  values: readonly unknown[]
}

/** Captures the statements that `work` sends to PostgreSQL, in order, on all connections. */
export async function captureStatements(
  work: () => Promise<unknown>,
): Promise<CapturedStatement[]> {
  const sent: CapturedStatement[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [one] = given as [
      string | (Omit<CapturedStatement, 'values'> & Partial<CapturedStatement>),
    ]
    sent.push(typeof one === 'string' ? { text: one, values: [] } : { values: [], ...one })
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    pg.Client.prototype.query = query
  }
  return sent
}

/** A script of pgbench, and the variables that it binds. */
export interface PgbenchScript {
  text: string
  variables: ReadonlyMap<string, string>
}

/**
 * Converts statements into a pgbench script, which binds the same values: PostgreSQL would evaluate
 * conditions on constants once for all runs. `vary` can replace a value that has to differ in each
 * run by an expression. A result that a later statement needs is kept with \gset.
 */
export function createPgbenchScript(
  sent: readonly CapturedStatement[],
  vary: (value: unknown, text: string) => string | undefined,
): PgbenchScript {
  const variables = new Map<string, string>()
  const bind = (value: unknown) => {
    if (value === null) return 'null'
    const name = `v${variables.size}`
    variables.set(name, String(value))
    return `:${name}`
  }
  const lines = sent.map(({ text, values }) => {
    const filled = text.replace(/\$(\d+)/g, (_, at) => {
      const value = values[Number(at) - 1]
      return vary(value, text) ?? bind(value)
    })
    const kept = /^select "last_sequence"/.test(filled)
    return filled.replaceAll('\n', ' ') + (kept ? ' \\gset' : ';')
  })
  return { text: `\\set n random(1, 9000000000000000)\n${lines.join('\n')}\n`, variables }
}

/** The transactions per second that pgbench reaches; undefined if it is not installed. */
export async function runPgbench(
  url: string,
  { text, variables }: PgbenchScript,
  clients: number,
  seconds: number,
) {
  const file = join(mkdtempSync(join(tmpdir(), 'docket-pgbench-')), 'script.sql')
  writeFileSync(file, text)
  const options = ['-n', '-M', 'prepared', '-j', '1', '-c', String(clients), '-T', String(seconds)]
  for (const [name, value] of variables) options.push('-D', `${name}=${value}`)
  try {
    const { stdout } = await promisify(execFile)('pgbench', [...options, '-f', file, url])
    const failed = Number(/failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0)
    if (failed > 0) throw new Error(`pgbench: ${stdout}`)
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
