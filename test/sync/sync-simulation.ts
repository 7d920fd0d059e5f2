import { HOUR_MS } from '#lib/durations.ts'
import { createSeededRandom } from '../delivery/simulated-time.ts'
import { bundleEngine, type EngineLoader } from './engine-bundle.ts'
import { findFaults } from './find-faults.ts'
import { findPageDifferences } from './page-differences.ts'
import { REOPEN_MS, SimulatedBrowser } from './simulated-browser.ts'
import { act, decideAboutUnsaved } from './simulated-person.ts'
import { SimulatedWorld } from './simulated-world.ts'

const ACTION_COUNT = 40
const FIRST_TASK_COUNT = 4
/** By then everything has been sent that can be. */
const QUIET_MS = 10 * 60_000

/**
 * Runs the code of the web app in two to four browsers against a model of the server. A seed decides
 * what people do, and when requests, replies, pages, clocks and storage fail. Returns the faults:
 * what a person did must in the end be on the server exactly once, or be shown as unsaved with its
 * text, nobody overwrites a value that they have not seen, and once all is quiet every page and its
 * list show what the server has, with what is unsaved on top.
 */
async function runSyncSimulation(seed: number, loadEngine: EngineLoader): Promise<string[]> {
  const random = createSeededRandom(seed)
  const world = new SimulatedWorld(random)
  world.isStreaming = random() < 0.3
  for (let count = 0; count < FIRST_TASK_COUNT; count++)
    world.server.tasks.create({ title: 'first' }, world.now)
  world.server.records.addFirst(world.now)
  const browsers = Array.from(
    { length: 2 + Math.floor(random() * 3) },
    (_, person) => new SimulatedBrowser(world, person, loadEngine),
  )
  for (const { person } of browsers) world.server.records.notify(person, world.now)
  for (let count = 0; count < ACTION_COUNT; count++) {
    const browser = world.pick(browsers)
    if (browser) await act(browser, world)
    await world.pass(pickPause(random))
  }
  world.isCalm = true
  await world.pass(REOPEN_MS)
  for (const browser of browsers) {
    browser.database.isFull = false
    browser.goOnline(true)
    if (random() < 0.5) await browser.crash()
    // After that it learns of each write (`SimulatedBrowser`).
    browser.page.catchUp()
    browser.page.refetchAll()
    browser.page.engine.mutationLog.retryFailed()
  }
  await world.pass(QUIET_MS)
  for (const browser of browsers) {
    browser.page.retryReads()
    if (random() < 0.5) decideAboutUnsaved(browser, world)
  }
  await world.pass(QUIET_MS)
  return [
    ...findFaults(world),
    ...browsers.flatMap(({ page }) => findPageDifferences(page, world.server)),
  ]
}

/** How long nobody does anything: mostly seconds, sometimes hours, and sometimes hardly at all. */
function pickPause(random: () => number): number {
  const kind = random()
  if (kind < 0.05) return random() * 30 * HOUR_MS
  return random() * (kind < 0.3 ? 10 : 3_000)
}

/** Runs one seed after the other; the faults by seed. */
async function runSyncSimulations(from: number, to: number): Promise<Record<number, string[]>> {
  const loadEngine = await bundleEngine()
  const wrong: Record<number, string[]> = {}
  for (let seed = from; seed <= to; seed++) {
    const faults = await runSyncSimulation(seed, loadEngine)
    if (faults.length > 0) wrong[seed] = faults
  }
  return wrong
}

/** The number that follows an option of the command line. */
const readOption = (name: string): number => Number(process.argv[process.argv.indexOf(name) + 1])

const from = process.argv.includes('--from') ? readOption('--from') : 1
const runs = readOption('--runs')
const wrong = await runSyncSimulations(from, from + runs - 1)
const isWrong = Object.keys(wrong).length > 0
// A test that starts this process shows what it writes here.
if (isWrong) console.error(wrong)
console.log(`${runs} runs${isWrong ? '' : ', no faults'}`)
process.exitCode = isWrong ? 1 : 0
