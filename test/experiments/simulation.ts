import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sealer } from '#storage/seal.ts'
import { openSqlite } from '#storage/sqlite.ts'
import { configFrom } from '../../src/config.ts'
import { emptyDirInMemory } from '../support/dir.ts'
import type { Home } from '../support/home.ts'
import { settle } from '../support/process.ts'
import { wrongAtTheEnd, wrongWithDeliveries } from './bad-sink-check.ts'
import { act, addWebhook, POISON, type World } from './simulation-acts.ts'
import { wrongAgainst } from './simulation-check.ts'
import { simulatedNet } from './simulation-net.ts'
import { type Ground, startNode } from './simulation-node.ts'
import { seeded, simulateTime } from './simulation-time.ts'

const RULES = { retrySeconds: [1, 2, 4, 8, 15, 20], disableAfterSeconds: 40 }
const ACTS = 30
const HEALTHS = [0.1, 0.4, 0.9]
/** All ends within this: the last attempts of what waits for others, and a lease before them. */
const PATIENCE_MS = 30 * 60_000
/** Within this an attempt has ended and is written down, and its process can stop. */
const STOPPING_MS = 12_000

/** A store with two workspaces, of which each simulation takes a copy. */
export async function template(): Promise<{ path: string; homes: Home[] }> {
  const dir = emptyDirInMemory()
  const homes = [await settle(dir), await settle(dir)]
  return { path: join(dir, 'docket.db'), homes }
}

/**
 * E38: the real dispatcher on a real store, in a time and a net that a seed decides. Processes are
 * frozen, killed and started beside each other, the store fails, and webhooks come, go, and are sent
 * things again. Gives what is wrong with what comes of it.
 */
export async function simulate(
  { path, homes }: Awaited<ReturnType<typeof template>>,
  seed: number,
  { fenced = true } = {},
): Promise<{ wrong: string[]; attempts: number }> {
  const file = `${path}.${seed}`
  copyFileSync(path, file)
  const random = seeded(seed)
  const time = simulateTime(random)
  const { settings } = configFrom({})
  const seal = sealer('a secret of the simulation')
  const { clock } = time
  const baseUrl = 'http://127.0.0.1:4000'
  const storage = openSqlite({ path: file, baseUrl, settings, seal, clock })
  const db = new DatabaseSync(file, { readOnly: true })
  const ask = (sql: string) => db.prepare(sql).all()
  const ground: Ground = {
    ...{ storage, random, fenced, wrong: new Set() },
    net: simulatedNet(clock, random, HEALTHS[Math.floor(random() * 3)] ?? 0),
    engine: random() < 0.7 ? 'postgres' : 'sqlite',
    rules: { ...RULES, disableAfterAttempts: random() < 0.3 ? 20 : 1_000_000 },
    unseal(sealed, workspace_id) {
      const secret = seal.open(sealed, workspace_id)
      if (secret === POISON) throw new Error('It cannot be opened')
      return secret
    },
    faults: random() < 0.5 ? 0 : random() * 0.1,
  }
  const world: World = { ground, homes, nodes: [startNode(ground)] }
  storage.onCommit((workspace_id) => {
    const up = world.nodes.filter(({ state }) => state === 'up')
    up[Math.floor(random() * (up.length + 1))]?.committed(workspace_id)
  })
  const checked = async (check: Promise<string[]>) => {
    for (const one of await check) ground.wrong.add(one)
  }
  /** Acts wait for the store, and it for time to pass. */
  const done = async (work: Promise<unknown>) => {
    await Promise.all([work, time.pass(1)])
  }
  try {
    for (let count = 0; count < 4; count++) await done(addWebhook(world))
    for (let count = 0; count < ACTS && ground.wrong.size === 0; count++) {
      await time.pass(random() * 6_000)
      await done(act(world))
      await checked(wrongWithDeliveries(ask))
    }
    ground.faults = 0
    for (const node of world.nodes) if (node.state === 'frozen') node.thaw()
    if (!world.nodes.some(({ state }) => state === 'up')) world.nodes.push(startNode(ground))
    const end = clock.now() + PATIENCE_MS
    const left = () => db.prepare(LEFT).get()?.count
    while (left() !== 0 && clock.now() < end) await time.pass(5_000)
    await time.pass(5_000)
    await checked(wrongAtTheEnd(ask))
    await checked(wrongAgainst(ask, ground.net, RULES.retrySeconds.length + 1))
    for (const node of world.nodes.filter(({ state }) => state === 'up')) {
      void node.stop()
      await time.pass(STOPPING_MS)
      if (node.state !== 'stopped') ground.wrong.add('a process does not stop')
    }
  } finally {
    time.end()
    db.close()
    await storage.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
  }
  return { wrong: [...ground.wrong], attempts: ground.net.begun.length }
}

/** What is still to be sent; deliveries of deleted webhooks are not. */
const LEFT = `select (select count(*) from workspaces where has_unsent_events = 1)
  + (select count(*) from replays) + (select sum(pending_count) from webhooks) as count`

/** Simulates one seed after the other; gives those in which something is wrong, and what. */
export async function simulateAll(from: number, to: number, how: { fenced?: boolean } = {}) {
  const store = await template()
  const wrong: Record<number, string[]> = {}
  let attempts = 0
  for (let seed = from; seed <= to; seed++) {
    const outcome = await simulate(store, seed, how)
    attempts += outcome.attempts
    if (outcome.wrong.length > 0) wrong[seed] = outcome.wrong
  }
  return { wrong, attempts }
}

/** Writes without the claim, one seed after the other, until it is found out: at about every fifteenth. */
export async function foundUnfenced(from: number, to: number): Promise<string> {
  const store = await template()
  for (let seed = from; seed <= to; seed++) {
    const { wrong } = await simulate(store, seed, { fenced: false })
    if (wrong.length > 0) return `seed ${seed}: ${wrong.join(', ')}`
  }
  return `nothing from seed ${from} to ${to}`
}

if (process.argv.includes('--full')) {
  const [from = 1, to = 10_000] = process.argv.slice(3).map(Number)
  const control = await simulateAll(from, from + 199, { fenced: false })
  console.log('control', control.wrong)
  const began = performance.now()
  const { wrong, attempts } = await simulateAll(from, to)
  console.log({ wrong, attempts, seconds: (performance.now() - began) / 1000 })
  const found = Object.keys(control.wrong).length > 0
  process.exitCode = found && Object.keys(wrong).length === 0 ? 0 : 1
}
