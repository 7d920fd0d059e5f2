import assert from 'node:assert/strict'
import { HOUR_MS } from '#lib/durations.ts'
import { bundleEngine, type EngineLoader } from './engine-bundle.ts'
import { SimulatedBrowser } from './simulated-browser.ts'
import { SimulatedWorld } from './simulated-world.ts'

const LOST_REPLY = 0.1
export const ENDED_SESSION = 0.235

let loadingEngine: Promise<EngineLoader> | undefined

/** Two people with a task each way, where nothing fails by chance. */
export async function createCalmWorld() {
  loadingEngine ??= bundleEngine()
  const loadEngine = await loadingEngine
  let luck = 0.5
  const world = new SimulatedWorld(() => luck)
  world.isCalm = true
  world.server.tasks.create({ title: 'first' }, world.now)
  const one = new SimulatedBrowser(world, 0, loadEngine)
  const other = new SimulatedBrowser(world, 1, loadEngine)
  await world.pass(1_000)
  /** What happens meanwhile to each request (`SimulatedWorld`). */
  const passWith = async (fate: number, ms: number) => {
    luck = fate
    world.isCalm = false
    await world.pass(ms)
    luck = 0.5
    world.isCalm = true
  }
  /** Does something of which the server gets a request and the page no reply. */
  const loseReplyTo = async (browser: SimulatedBrowser, run = () => {}) => {
    run()
    await passWith(LOST_REPLY, 200)
    browser.goOnline(false)
    // Meanwhile the page gives up.
    await world.pass(30_000)
  }
  /** The page hears what has changed meanwhile, and then sends what it has; nothing is left to send. */
  const reconnect = async (browser: SimulatedBrowser) => {
    browser.isOnline = true
    browser.page.catchUp()
    browser.goOnline(true)
    await world.pass(10_000)
    assert.deepEqual(queueOf(browser), [])
  }
  return { world, one, other, passWith, loseReplyTo, reconnect }
}

/** The log of the browser's page. */
export const queueOf = ({ page }: SimulatedBrowser) => page.engine.mutationQueue.get()

/** The person changes a task, and cannot send it for so long that it waits for them. */
export async function leaveUnsaved(
  world: SimulatedWorld,
  browser: SimulatedBrowser,
  title: string,
): Promise<void> {
  browser.goOnline(false)
  browser.page.engine.changeTask('tsk_1', { title })
  await world.pass(13 * HOUR_MS)
  browser.goOnline(true)
  await world.pass(1_000)
  assert.deepEqual(
    queueOf(browser).map(({ state }) => state),
    ['unsaved'],
  )
}
