import { parseArgs } from 'node:util'
import { createSeededRandom } from '../simulation/simulated-time.ts'
import { actAsSomebody, answerQuestions, changeUnheldRecords, interact } from './replica-people.ts'
import { type ReplicaDefects, ReplicaWorld } from './replica-world.ts'

const ACTION_COUNT = 30
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
      actAsSomebody(world)
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
      if (round === 1 && random() < 0.3) await changeUnheldRecords(world)
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

/** Each invariant is violated by a defect at least; the judge has to find it. */
const CONTROLS: readonly [defect: keyof ReplicaDefects, invariant: number][] = [
  ['numbersTooHigh', 1],
  ['keepsHistory', 1],
  ['numbersSearchesTooHigh', 1],
  ['losesStreamedChanges', 2],
  ['concealsRights', 2],
  ['writesIntoRecords', 3],
  ['forgetsKeys', 4],
  ['confirmsTooEarly', 4],
  ['numbersRepliesTooLow', 4],
  ['losesEntriesOnCrash', 4],
  ['forgetsOrder', 4],
  ['ignoresVersions', 5],
  ['ordersAtRandom', 6],
  ['tearsCopies', 7],
  ['sharesStorage', 8],
  ['streamsPrivateProjects', 8],
]
const MAX_CONTROL_SEEDS = 1_000

/** The first seed that shows a defect as a violation of an invariant; undefined if there is none. */
async function findDefect(
  defect: keyof ReplicaDefects,
  invariant: number,
): Promise<number | undefined> {
  for (let seed = 1; seed <= MAX_CONTROL_SEEDS; seed++) {
    const faults = await runReplicaSimulation(seed, { [defect]: true })
    if (faults.some((fault) => fault.startsWith(`${invariant}:`))) return seed
  }
  return undefined
}

async function runControls(): Promise<boolean> {
  let isComplete = true
  for (const [defect, invariant] of CONTROLS) {
    const seed = await findDefect(defect, invariant)
    isComplete &&= seed !== undefined
    console.log(`invariant ${invariant}: ${defect} is found by seed ${seed ?? '-'}`)
  }
  return isComplete
}

async function runSeeds(from: number, runs: number): Promise<boolean> {
  let faultyCount = 0
  for (let seed = from; seed < from + runs; seed++) {
    const faults = await runReplicaSimulation(seed, {})
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
    controls: { type: 'boolean', default: false },
  },
})
const isRight = values.controls
  ? await runControls()
  : await runSeeds(Number(values.from), Number(values.runs))
process.exitCode = isRight ? 0 : 1
