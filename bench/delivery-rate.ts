import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fanOut } from '#delivery/fan-out.ts'
import { signedHeaders } from '#delivery/sign.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { addTasks, addWebhooks, benchDir, type Unserved, unserved } from './delivery-seed.ts'
import { median, tell } from './figures.ts'
import { post, type Sink, startDocket, startSink } from './processes.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const EVENTS = Number(process.env.EVENTS ?? 8_000)
/** With eight attempts each at the same time, nearly what a workspace may have. */
const WEBHOOKS = 6
const CONNECTIONS = WEBHOOKS * 8
/** Deliveries a second to a receiver, to the posts of a bare client of the same bodies. */
export async function compareRates(): Promise<void> {
  const sink = await startSink()
  const waiting = await unserved()
  await addWebhooks(waiting, Array(WEBHOOKS).fill(sink.url))
  await addTasks(waiting, EVENTS)
  const amount = EVENTS * WEBHOOKS
  const bodies = join(waiting.dataDir, 'bodies.json')
  writeFileSync(bodies, JSON.stringify(await payloads(waiting)))
  await waiting.storage.close()
  const queued = await unserved(copyOf(waiting.dataDir))
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
      const bare = await rateAt(sink, amount, () => post(posting))
      const docket = await startDocket(copyOf(dataDir))
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
  tell('deliveries of waiting events / bare client', median(ratios.waiting ?? []), { least: 0.4 })
  tell('of queued deliveries / bare client', median(ratios.queued ?? []), { least: 0.4 })
  await sink.stop()
}

/** Requests a second that a sink gets, from the first until it has this many; and what they cost. */
async function rateAt(sink: Sink, amount: number, doing: () => Promise<number>) {
  const doneBy = doing()
  let told = await sink.told()
  for (; told.count < amount; told = await sink.told()) await pause(100)
  const cost = await doneBy
  await sink.told({ forget: true })
  const [first = Number.NaN] = told.hundreds
  const last = told.hundreds.at(-1) ?? Number.NaN
  return { rate: amount / ((last - first) / 1000), cost }
}

const of = ({ workspace }: Unserved) => ({ workspace_id: workspace })

function copyOf(dataDir: string): string {
  const copy = benchDir()
  cpSync(dataDir, copy, { recursive: true })
  return copy
}

async function payloads({ storage, owner }: Unserved): Promise<string[]> {
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

const HEADERS = signedHeaders({
  delivery_id: 'dlv_01k2m3n4p5q6r7s8t9v0w1x2y4',
  event_id: 'evt_01k2m3n4p5q6r7s8t9v0w1x2y4',
  event_type: 'task.created',
  attempt: 1,
  at: Date.now(),
  body: '{}',
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  previous_secret: null,
})
