import { parseArgs } from 'node:util'
import { createSeededRandom } from '../simulation/simulated-time.ts'
import { act, answerQuestions, interact } from './replica-people.ts'
import { type ReplicaDefects, ReplicaWorld } from './replica-world.ts'

const ACTION_COUNT = 40
/** By then everything has been sent that can be. */
const QUIET_MS = 60_000

/**
 * Runs the replica of the web app in some browsers against a model of the server. A seed decides what
 * people do, and when requests, streams, tabs and storage fail. Returns the faults that the judge
 * finds: it checks every invariant after every step.
 */
async function runReplicaSimulation(seed: number, defects: ReplicaDefects): Promise<string[]> {
  const random = createSeededRandom(seed)
  const world = new ReplicaWorld(random, defects)
  const { browsers, judge } = world
  for (const browser of browsers) browser.openTab()
  try {
    for (let count = 0; count < ACTION_COUNT && judge.faults.length === 0; count++) {
      act(world)
      await world.pass(pickPause(random))
    }
    for (let round = 0; round < 3 && judge.faults.length === 0; round++) {
      for (const browser of browsers) {
        browser.goOnline(true)
        for (const tab of [...browser.tabs]) {
          interact(tab, false)
          // The next page takes over what the tabs that have crashed have left.
          if (round === 0) browser.closeTab(tab, false)
          else answerQuestions(world, tab, 1)
          tab.page?.log.retryFailed()
        }
        if (round === 0) browser.openTab()
      }
      await world.pass(QUIET_MS)
    }
  } catch (error) {
    return [`0: ${error instanceof Error ? error.stack : error}`]
  }
  if (judge.faults.length === 0) judge.checkEnd()
  return judge.faults
}

/** How long nobody does anything: mostly a second, sometimes hardly at all. */
function pickPause(random: () => number): number {
  const kind = random()
  if (kind < 0.05) return random() * 20_000
  return random() * (kind < 0.35 ? 20 : 2_000)
}

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1000' },
    /** Controls: a JSON object of defects, and the number of the invariant that they violate. */
    defects: { type: 'string', default: '{}' },
    until: { type: 'string' },
  },
})
const defects: ReplicaDefects = JSON.parse(values.defects)
const from = Number(values.from)
const began = performance.now()
let wrongCount = 0
let seed = from
for (; seed < from + Number(values.runs); seed++) {
  const faults = await runReplicaSimulation(seed, defects)
  if (faults.length === 0) continue
  wrongCount += 1
  // A test that starts this process shows what it writes here.
  if (wrongCount <= 10) console.error(`seed ${seed}`, faults.slice(0, 3))
  if (faults.some((fault) => fault.startsWith(`${values.until}:`))) break
}
const runs = seed - from
console.log(
  `${runs} runs, ${wrongCount} with faults, ${((performance.now() - began) / runs).toFixed(1)} ms each`,
)
process.exitCode = wrongCount > 0 ? 1 : 0
