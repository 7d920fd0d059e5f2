import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { query, type Scoped } from '#db/core/statement.ts'
import { fanOut } from '#webhooks/queue/fan-out.ts'
import { createSignedHeaders } from '#webhooks/sending/sign.ts'
import { reportFigure } from '../support/figures.ts'
import {
  runPostingClient,
  startDocketProcess,
  startWebhookSink,
  type WebhookSink,
} from '../support/processes.ts'
import {
  addTasks,
  addWebhooks,
  createBenchDir,
  openStoppedInstallation,
  type StoppedInstallation,
} from './delivery-seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const EVENTS = Number(process.env.EVENTS ?? 8_000)
/** With eight parallel attempts each, nearly the limit of a workspace. */
const WEBHOOKS = 6
const CONNECTIONS = WEBHOOKS * 8
/** Compares the rate of deliveries to a receiver with a bare client that posts the same bodies. */
export async function compareDeliveryRates(): Promise<void> {
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

const createdTasks = query((db, $: Scoped) =>
  db
    .selectFrom('events')
    .select('payload')
    .where('workspace_id', '=', $.workspace_id)
    .where('type', '=', 'task.created')
    .orderBy('sequence'),
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
