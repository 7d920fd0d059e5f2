import { parseArgs } from 'node:util'
import { createSeededRandom } from '../delivery/simulated-time.ts'
import { ModelBrowser } from './model-browser.ts'
import { actByChance, changeAsSomebodyElse } from './replica-actions.ts'

const ACTION_COUNT = 40
/** By then everything has been read that can be. */
const QUIET_MS = 600_000

/**
 * Runs the replica of the web app in a browser against models of two workspaces. A seed decides what
 * people do, and when requests, streams and pages fail. Returns the faults that the judge finds: it
 * checks every invariant after every step.
 */
async function runReplicaSimulation(seed: number): Promise<string[]> {
  const random = createSeededRandom(seed)
  const browser = new ModelBrowser(random)
  const { faults } = browser
  try {
    for (let count = 0; count < ACTION_COUNT && faults.length === 0; count++) {
      actByChance(browser)
      await browser.pass(pickPause(random))
    }
    if (faults.length === 0) await compareWithReopened(browser)
  } catch (error) {
    return [`0: ${error instanceof Error ? error.stack : error}`]
  }
  return faults
}

/** Once all is quiet, a page is exact, and so is the next one, which begins with its copies. */
async function compareWithReopened(browser: ModelBrowser): Promise<void> {
  browser.goOnline(true)
  browser.page.interact(false)
  await browser.pass(QUIET_MS)
  browser.page.judge.checkQuiet(2)
  browser.page.storeCopies()
  await browser.pass(1_000)
  browser.page.close()
  for (let count = 0; count < 3; count++) changeAsSomebodyElse(browser)
  browser.openPage(browser.page.session)
  await browser.pass(QUIET_MS)
  browser.page.judge.checkQuiet(4)
}

/** How long nobody does anything: mostly a second, sometimes hardly at all. */
function pickPause(random: () => number): number {
  const kind = random()
  if (kind < 0.05) return random() * 20_000
  return random() * (kind < 0.35 ? 20 : 2_000)
}

async function runSeeds(from: number, runs: number): Promise<boolean> {
  let faultyCount = 0
  for (let seed = from; seed < from + runs; seed++) {
    const faults = await runReplicaSimulation(seed)
    if (faults.length === 0) continue
    faultyCount += 1
    // A test that starts this process shows what it writes here.
    if (faultyCount <= 10) console.error(`seed ${seed}`, faults.slice(0, 3))
  }
  console.log(`${runs} runs, ${faultyCount} with faults`)
  return faultyCount === 0
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
  },
})
process.exitCode = (await runSeeds(Number(values.from), Number(values.runs))) ? 0 : 1
