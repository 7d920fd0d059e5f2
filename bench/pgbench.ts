import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/** A statement as it was sent. */
interface Sent {
  text: string
  values: readonly unknown[]
}

/** The statements that some work sends to PostgreSQL, in order, by whichever connection. */
export async function sentDuring(work: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    const [one] = given as [string | (Omit<Sent, 'values'> & Partial<Sent>)]
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

/**
 * The same statements as a script of pgbench. `vary` may put an expression in the place of a value
 * that has to differ from run to run; a statement whose answer is used later keeps it by \gset.
 */
export function scriptOf(
  sent: readonly Sent[],
  vary: (value: unknown, text: string) => string | undefined,
) {
  const lines = sent.map(({ text, values }) => {
    const filled = text.replace(/\$(\d+)/g, (_, at) => {
      const value = values[Number(at) - 1]
      return vary(value, text) ?? literal(value)
    })
    const kept = /^select "last_sequence"/.test(filled)
    return filled.replaceAll('\n', ' ') + (kept ? ' \\gset' : ';')
  })
  return `\\set n random(1, 9000000000000000)\n${lines.join('\n')}\n`
}

/** Without colons, in which pgbench would see its variables. */
function literal(value: unknown): string {
  if (value === null || typeof value === 'number') return String(value)
  const text = String(value).replaceAll('\\', '\\\\').replaceAll("'", "''")
  return `E'${text.replaceAll(':', '\\x3a')}'`
}

/** Transactions a second that pgbench reaches; undefined where there is no pgbench. */
export async function pgbench(url: string, script: string, clients: number, seconds: number) {
  const file = join(mkdtempSync(join(tmpdir(), 'docket-pgbench-')), 'script.sql')
  writeFileSync(file, script)
  const options = ['-n', '-M', 'prepared', '-j', '1', '-c', String(clients), '-T', String(seconds)]
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
