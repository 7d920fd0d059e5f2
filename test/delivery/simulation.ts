import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseConfig } from '#config/config.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import { seedDataDir } from '../support/server/server-process.ts'
import { createMemoryTempDir } from '../support/system/temp-dir.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'
import {
  addRandomWebhook,
  runRandomAction,
  type SimulatedInstallation,
  UNREADABLE_SECRET,
} from './actions.ts'
import { findDeliveryFaults, findFinalDeliveryFaults } from './check-deliveries.ts'
import { findSimulationFaults } from './check-simulation.ts'
import { createSimulatedNetwork } from './simulated-network.ts'
import { type SimulationContext, startSimulatedProcess } from './simulated-process.ts'
import { createSeededRandom, simulateTime } from './simulated-time.ts'

const RULES = { retrySeconds: [1, 2, 4, 8, 15, 20], disableAfterSeconds: 40 }
const ACTION_COUNT = 30
const SUCCESS_RATES = [0.1, 0.4, 0.9]
/** Everything ends within this time: a lease, and then the last attempts of blocked deliveries. */
const COMPLETION_TIMEOUT_MS = 30 * 60_000
/** Within this time open attempts end and are stored, so that a process can stop. */
const STOP_TIMEOUT_MS = 12_000

/** Creates a store with two workspaces; each simulation uses a copy of it. */
export async function createTemplateStore(): Promise<{ path: string; homes: TestWorkspace[] }> {
  const dir = createMemoryTempDir()
  const homes = [await seedDataDir(dir), await seedDataDir(dir)]
  return { path: join(dir, 'docket.db'), homes }
}

/**
 * Runs the real dispatcher on a real store, with a clock and a network that a seed decides.
 * Processes are started, frozen and killed, the store fails, and webhooks are created, changed,
 * deleted and replayed. Returns the faults that it finds.
 */
export async function runSimulation(
  { path, homes }: Awaited<ReturnType<typeof createTemplateStore>>,
  seed: number,
): Promise<{ wrong: string[]; attempts: number }> {
  const file = `${path}.${seed}`
  copyFileSync(path, file)
  const random = createSeededRandom(seed)
  const time = simulateTime(random)
  const { settings } = parseConfig({})
  const seal = createEncryptor('a secret of the simulation')
  const { clock } = time
  const baseUrl = 'http://127.0.0.1:4000'
  const storage = openSqlite({ path: file, baseUrl, settings, seal, clock })
  const db = new DatabaseSync(file, { readOnly: true })
  const runSql = (sql: string) => db.prepare(sql).all()
  const ground: SimulationContext = {
    storage,
    random,
    wrong: new Set(),
    network: createSimulatedNetwork(clock, random, SUCCESS_RATES[Math.floor(random() * 3)] ?? 0),
    engine: random() < 0.7 ? 'postgres' : 'sqlite',
    rules: { ...RULES, disableAfterAttempts: random() < 0.3 ? 20 : 1_000_000 },
    decryptSecret(sealed, workspace_id) {
      const secret = seal.decrypt(sealed, workspace_id)
      if (secret === UNREADABLE_SECRET) throw new Error('It cannot be opened')
      return secret
    },
    failureRate: random() < 0.5 ? 0 : random() * 0.1,
  }
  const world: SimulatedInstallation = { ground, homes, nodes: [startSimulatedProcess(ground)] }
  storage.onCommit((workspace_id) => {
    const up = world.nodes.filter(({ state }) => state === 'up')
    up[Math.floor(random() * (up.length + 1))]?.notifyCommit(workspace_id)
  })
  const addFaults = async (check: Promise<string[]>) => {
    for (const one of await check) ground.wrong.add(one)
  }
  /** Actions wait for the store, and the store waits for time to pass. */
  const runAndPassTime = async (work: Promise<unknown>) => {
    await Promise.all([work, time.pass(1)])
  }
  try {
    for (let count = 0; count < 4; count++) await runAndPassTime(addRandomWebhook(world))
    for (let count = 0; count < ACTION_COUNT && ground.wrong.size === 0; count++) {
      await time.pass(random() * 6_000)
      await runAndPassTime(runRandomAction(world))
      await addFaults(findDeliveryFaults(runSql))
    }
    ground.failureRate = 0
    for (const node of world.nodes) if (node.state === 'frozen') node.thaw()
    if (!world.nodes.some(({ state }) => state === 'up'))
      world.nodes.push(startSimulatedProcess(ground))
    const end = clock.now() + COMPLETION_TIMEOUT_MS
    const countRemaining = () => db.prepare(REMAINING_SQL).get()?.count
    while (countRemaining() !== 0 && clock.now() < end) await time.pass(5_000)
    await time.pass(5_000)
    await addFaults(findFinalDeliveryFaults(runSql))
    await addFaults(findSimulationFaults(runSql, ground.network, RULES.retrySeconds.length + 1))
    for (const node of world.nodes.filter(({ state }) => state === 'up')) {
      void node.stop()
      await time.pass(STOP_TIMEOUT_MS)
      if (node.state !== 'stopped') ground.wrong.add('a process does not stop')
    }
  } finally {
    time.end()
    db.close()
    await storage.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  }
  return { wrong: [...ground.wrong], attempts: ground.network.startedAttempts.length }
}

/** Counts what is still to be sent; deliveries of deleted webhooks do not count. */
const REMAINING_SQL = `select (select count(*) from workspaces where has_unsent_events = 1)
  + (select count(*) from replays) + (select sum(pending_count) from webhooks) as count`

/** Runs one seed after the other and returns the faults by seed. */
export async function runSimulations(from: number, to: number) {
  const store = await createTemplateStore()
  const wrong: Record<number, string[]> = {}
  let attempts = 0
  for (let seed = from; seed <= to; seed++) {
    const outcome = await runSimulation(store, seed)
    attempts += outcome.attempts
    if (outcome.wrong.length > 0) wrong[seed] = outcome.wrong
  }
  return { wrong, attempts }
}
