import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DeclaredStatement } from '#db/core/statement.ts'

const ROOT = join(import.meta.dirname, '../../..')

interface LocatedStatement extends DeclaredStatement {
  /** The file that builds it. */
  at: string
}

/**
 * Collects the statements that the server builds when it loads; scenarios run the others. Must be
 * called before anything else loads modules that build statements.
 */
export async function collectStatements(): Promise<LocatedStatement[]> {
  const statements: LocatedStatement[] = []
  const recordStatement = (built: unknown) => {
    const [at = ''] = /src\/(?!db\/core\/statement)[^:]+/.exec(new Error().stack ?? '') ?? []
    statements.push({ ...(built as DeclaredStatement), at })
  }
  subscribe('docket:statement', recordStatement)
  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    const builds = /from '(#db\/core|\.|\.\.\/core)\/statement\.ts'/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    )
    if (builds && !file.endsWith('.test.ts')) await import(join(ROOT, file))
  }
  unsubscribe('docket:statement', recordStatement)
  return statements
}
