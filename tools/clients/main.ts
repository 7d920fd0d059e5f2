import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CLIENT_GENERATORS } from './generators.ts'
import { startTargetServer } from './target-server.ts'
import { type ClientPass, type ClientResult, isFailure, tryGenerator } from './try-generator.ts'

/**
 * Generates clients in several languages from the OpenAPI document of a running server, compiles
 * them and calls the whole API with them (docs/guides/clients.md). `--growing` calls it again while
 * every reply has what a later version may add. `--keep` leaves the generated clients in a folder.
 * Arguments select generators by name.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { growing: { type: 'boolean' }, keep: { type: 'boolean' } },
})
const MAX_REPORT_LINES = 80

const names = CLIENT_GENERATORS.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}. Generators: ${names.join(', ')}`)
  process.exit(1)
}
const selected = CLIENT_GENERATORS.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
)
const passes: readonly ClientPass[] = values.growing ? ['present', 'growing'] : ['present']
const folder = mkdtempSync(join(tmpdir(), 'docket-clients-'))
const dataDir = join(folder, 'data')
const results: ClientResult[] = []
const target = await startTargetServer(dataDir, selected.length * passes.length)
try {
  for (const generator of selected) {
    const result = await tryGenerator(generator, target, folder, passes)
    console.log(`${generator.name}: ${result.result}`)
    if (result.report) console.log(lastLines(result.report))
    results.push(result)
  }
} finally {
  await target.stop()
  rmSync(values.keep ? dataDir : folder, { recursive: true, force: true })
}
printTable([
  ['generator', 'language', 'warnings', 'compiles', 'calls', 'result'],
  ...results.map(({ client, language, warnings = '', compiles = '', calls = '', result }) => [
    client,
    language,
    `${warnings}`,
    compiles,
    calls,
    result,
  ]),
])
if (values.keep) console.log(`The clients are in ${folder}`)
process.exitCode = results.some(isFailure) ? 1 : 0

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of rows) {
    console.log(
      row
        .map((text, column) => text.padEnd(widths?.[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split('\n')
  return lines.slice(-MAX_REPORT_LINES).join('\n').replace(/^/gm, '    ')
}
