import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { parseConfig } from '#config/config.ts'
import { type Actor, createUserActor } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { query } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createTaskFromInput } from '#resources/tasks/operations/create.ts'
import { createWebhookAs } from '#resources/webhooks/operations.ts'
import { createSignedHeaders } from '#webhooks/attempts.ts'
import { MAX_SLOTS } from '#webhooks/dispatcher.ts'
import { fanOut } from '#webhooks/queue.ts'
import { median, reportFigure } from './support/figures.ts'
import {
  runPostingClient,
  startDocketProcess,
  startWebhookSink,
  type WebhookSink,
} from './support/processes.ts'
import { createBenchDir, type SeededWorkspace, seedWorkspace } from './support/seed.ts'

const SECONDS = 10
const RATE = 100
const WARM_UP_SECONDS = 3
const ROUNDS = 5
const EVENTS = 8_000
/** With their slots, they reach the limit of a workspace. */
const WEBHOOKS = MAX_SLOTS.workspace / MAX_SLOTS.webhook
const CONNECTIONS = MAX_SLOTS.workspace
const TASKS = 100
const BATCH_SIZE = 500

/** How fast and how soon events are delivered to webhooks. */
export async function measureDelivery(): Promise<void> {
  await compareDeliveryRates()
  await measureDeliveryDelays()
}

/** Measures the delay from a commit until its event reaches a receiver, at 100 events a second. */
async function measureDeliveryDelays(): Promise<void> {
  const alone = await delays((url) => [`${url}/timed`])
  reportFigure('commit to receiver, median ms', alone.since.commit, { most: 10 })
  reportFigure('reply of the API to receiver, median ms', alone.since.reply, { most: 10 })
  const hanging = await delays((url) => [`${url}/hang`, ...Array(9).fill(`${url}/timed`)])
  const { since } = hanging
  reportFigure('one of ten hangs: the others, p99 ms', ninetyNinth(since.commit), { most: 2_000 })
  console.log(`    median ${median(since.commit)} ms, most ${Math.max(...since.commit)} ms`)
}

const ninetyNinth = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN

async function delays(urls: (url: string) => string[]) {
  const sink = await startWebhookSink()
  const seeded = await openStoppedInstallation()
  await addWebhooks(seeded, urls(sink.url))
  await seeded.storage.close()
  const docket = await startDocketProcess(seeded.dataDir)
  const replied = new Map<string, number>()
  const dispatcher = new Agent({ connections: 16 })
  const headers = { authorization: `Bearer ${seeded.key}`, 'content-type': 'application/json' }
  const create = async (n: number) => {
    const body = JSON.stringify(createSampleTask(seeded.project, n))
    const path = '/api/v1/tasks'
    const reply = await dispatcher.request({
      origin: docket.url,
      path,
      method: 'POST',
      headers,
      body,
    })
    const at = Date.now()
    const { id } = (await reply.body.json()) as { id: string }
    replied.set(id, at)
  }
  for (const [seconds, counts] of [
    [WARM_UP_SECONDS, false],
    [SECONDS, true],
  ] as const) {
    const began = performance.now()
    const made: Promise<void>[] = []
    for (let n = 0; n < seconds * RATE; n++) {
      await pause(began + (n * 1000) / RATE - performance.now())
      made.push(create(n))
    }
    await Promise.all(made)
    await pause(2_500)
    if (!counts) await sink.readReport({ forget: true })
  }
  const { timed } = await sink.readReport()
  const wanted = SECONDS * RATE * urls('').filter((url) => url.endsWith('timed')).length
  if (timed.length !== wanted) throw new Error(`${timed.length} of ${wanted} events came`)
  await Promise.all([docket.stop(), sink.stop(), dispatcher.close()])
  const first = ({ subject }: { subject: string }) => replied.get(subject) ?? Number.NaN
  const since = {
    commit: timed.map(({ arrived, committed }) => arrived - committed),
    reply: timed.map((one) => one.arrived - first(one)),
  }
  return { since }
}

/** Compares the rate of deliveries to a receiver with a bare client that posts the same bodies. */
async function compareDeliveryRates(): Promise<void> {
  const sink = await startWebhookSink()
  const waiting = await openStoppedInstallation()
  await addWebhooks(waiting, Array(WEBHOOKS).fill(sink.url))
  await addTasks(waiting, EVENTS)
  const amount = EVENTS * WEBHOOKS
  const bodies = join(waiting.dataDir, 'bodies.json')
  writeFileSync(bodies, JSON.stringify(await payloads(waiting)))
  await waiting.storage.close()
  const queued = await openStoppedInstallation(copyOf(waiting.dataDir))
  while (await queued.storage.write({ ...queued.owner, ...of(waiting) }, fanOut)) {}
  await queued.storage.close()

  const posting = {
    url: sink.url,
    file: bodies,
    headers: HEADERS,
    connections: CONNECTIONS,
    amount,
  }
  const ratios: Record<string, number[]> = { waiting: [], queued: [] }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, { dataDir }] of Object.entries({ waiting, queued })) {
      const bare = await rateAt(sink, amount, () => runPostingClient(posting))
      const docket = await startDocketProcess(copyOf(dataDir))
      const before = await docket.cpu()
      const ours = await rateAt(sink, amount, async () => 0)
      const cost = (await docket.cpu()) - before
      await docket.stop()
      ratios[name]?.push(ours.rate / bare.rate)
      const micros = (seconds: number) => ((seconds * 1e6) / amount).toFixed(0)
      if (round > 0) continue
      console.log(`    ${name}: ${ours.rate.toFixed(0)}/s, bare ${bare.rate.toFixed(0)}/s`)
      console.log(`    of processor time ${micros(cost)} µs each, bare ${micros(bare.cost)} µs`)
    }
  }
  reportFigure('deliveries of waiting events / bare client', ratios.waiting ?? [], {
    least: 0.4,
  })
  reportFigure('of queued deliveries / bare client', ratios.queued ?? [], { least: 0.4 })
  await sink.stop()
}

/** The rate at which a sink gets this many requests, and the CPU time that sending them took. */
async function rateAt(sink: WebhookSink, amount: number, doing: () => Promise<number>) {
  const doneBy = doing()
  let told = await sink.readReport()
  for (; told.count < amount; told = await sink.readReport()) await pause(100)
  const cost = await doneBy
  await sink.readReport({ forget: true })
  const [first = Number.NaN] = told.hundreds
  const last = told.hundreds.at(-1) ?? Number.NaN
  return { rate: amount / ((last - first) / 1000), cost }
}

const of = ({ workspace }: StoppedInstallation) => ({ workspace_id: workspace })

function copyOf(dataDir: string): string {
  const copy = createBenchDir()
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

async function payloads({ storage, owner }: StoppedInstallation): Promise<string[]> {
  const rows = await storage.read(owner, (tx) => tx.all(createdTasks, {}))
  return rows.map(({ payload }) => payload)
}

const createdTasks = query((db) =>
  db.selectFrom('events').select('payload').where('type', '=', 'task.created').orderBy('sequence'),
)

const HEADERS = createSignedHeaders({
  delivery_id: 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y4',
  event_id: 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4',
  event_type: 'task.created',
  attempt: 1,
  at: Date.now(),
  body: '{}',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previous_secret: null,
})

/** An installation without a server, with its open store. */
interface StoppedInstallation extends SeededWorkspace {
  dataDir: string
  storage: Storage
  owner: Actor
}

/** Creates a workspace on SQLite with some tasks and no webhooks. Nothing sends its events. */
async function openStoppedInstallation(dataDir = createBenchDir()): Promise<StoppedInstallation> {
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: dataDir }))
  const seeded = await seedWorkspace(storage, TASKS)
  const owner: Actor = {
    ...createUserActor(seeded.people[0] ?? '', seeded.workspace),
    role: 'owner',
  }
  return { ...seeded, dataDir, storage, owner }
}

/** Adds a webhook for new tasks for each URL. */
async function addWebhooks(
  { storage, owner, people }: StoppedInstallation,
  urls: readonly string[],
) {
  for (const url of urls) {
    const webhook = { url, events: ['task.created' as const] }
    await storage.write(owner, (tx) => createWebhookAs(tx, webhook, people[0] ?? ''))
  }
}

/** Creates tasks and their events. */
async function addTasks({ storage, owner, project }: StoppedInstallation, count: number) {
  for (let from = 0; from < count; from += BATCH_SIZE) {
    const made = Array.from({ length: Math.min(BATCH_SIZE, count - from) }, (_, at) =>
      storage.write(owner, (tx) => createTaskFromInput(tx, createSampleTask(project, from + at))),
    )
    await Promise.all(made)
  }
}

/** A typical task. */
const createSampleTask = (project_id: string, n: number) => ({
  project_id,
  title: `The of invoice ${n} fails when the customer has moved`,
  priority: 'high' as const,
  due_date: '2027-03-01',
})
