import { chmodSync, cpSync, existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { formatMilliseconds } from '../testing/print.ts'
import { REPOSITORY_ROOT, RESULTS_DIR } from '../testing/test-files.ts'
import { type Clone, killCommands, listCommands, type PlaceCommand } from './commands.ts'
import { type ClonePlace, createClones, environmentOf, listPlaces } from './places.ts'

/**
 * Starts Docket, runs its command line and some of its tests in fresh clones of the last commit: below
 * a folder that only root may enter, as an ordinary user, below an odd path, in an odd environment, in
 * two clones at the same time, and with each Node that `--node PATH` names. Names select some places;
 * `--full` runs all tests, `--tests PATH` others than usual. A place takes a few minutes, most of them to
 * install.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', multiple: true },
    full: { type: 'boolean' },
    tests: { type: 'string', multiple: true },
  },
})
const places = listPlaces((values.node ?? []).map((path) => resolve(path)))
const names = places.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name))
if (unknown.length > 0)
  throw new Error(`No place ${unknown.join(', ')}: there are ${names.join(', ')}`)

const MAX_OUTPUT_LINES = 80

const base = realpathSync(mkdtempSync(join(tmpdir(), 'docket-places-')))
chmodSync(base, 0o711)
process.once('exit', () => {
  killCommands()
  rmSync(base, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const commands = listCommands(values.full ? 'all' : values.tests)
printRow('Place', 'Command', 'Result', 'Time')
for (const place of places) {
  if (positionals.length > 0 && !positionals.includes(place.name)) continue
  if (place.missing) printRow(place.name, '', 'skipped', place.missing)
  else await tryPlace(place)
}

async function tryPlace(place: ClonePlace): Promise<void> {
  const folder = join(base, place.folder ?? place.name)
  const clones = createClones(place, REPOSITORY_ROOT, folder).map((path) => ({
    folder: path,
    env: environmentOf(place, folder),
    user: place.user,
  }))
  for (const command of commands) {
    await Promise.all(clones.map((clone) => tryCommand(place, command, clone)))
  }
  rmSync(folder, { recursive: true, force: true })
}

async function tryCommand(place: ClonePlace, command: PlaceCommand, clone: Clone): Promise<void> {
  const began = performance.now()
  let failure: unknown
  try {
    await command.run(clone)
  } catch (error) {
    failure = error
  }
  const time = formatMilliseconds(performance.now() - began)
  printRow(place.name, command.name, failure === undefined ? 'passed' : 'failed', time)
  if (failure === undefined) return
  process.exitCode = 1
  const text = failure instanceof Error ? failure.message : String(failure)
  console.log(text.trimEnd().split('\n').slice(-MAX_OUTPUT_LINES).join('\n'))
  const artifacts = join(clone.folder, 'test-results')
  if (!existsSync(artifacts)) return
  cpSync(artifacts, join(RESULTS_DIR, place.name), { recursive: true })
  console.log(`Traces, screenshots and logs: ${join(RESULTS_DIR, place.name)}`)
}

function printRow(place: string, command: string, result: string, time: string): void {
  console.log(`${place.padEnd(18)}${command.padEnd(20)}${result.padEnd(9)}${time}`)
}
