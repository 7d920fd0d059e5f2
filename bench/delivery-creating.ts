import { setTimeout as pause } from 'node:timers/promises'
import { addWebhooks, unserved, wish } from './delivery-seed.ts'
import { median, tell } from './figures.ts'
import { type Docket, startDocket, startSink } from './processes.ts'
import { load, WARM_UP } from './ratio.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
const WEBHOOKS = 5

/** Tasks created a second where five webhooks are told of each, to those where nobody is. */
export async function compareCreating(): Promise<void> {
  const sink = await startSink()
  const told = await unserved()
  await addWebhooks(told, Array(WEBHOOKS).fill(sink.url))
  await told.storage.close()
  const untold = await unserved(told.dataDir)
  await untold.storage.close()
  const docket = await startDocket(told.dataDir)
  let serial = 0
  const rate = async ({ key, project }: typeof told, seconds: number) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = () => JSON.stringify(wish(project, serial++))
    return (await load(docket, '/api/v1/tasks', headers, body, seconds)).rate
  }

  const [ratios, shares]: [number[], number[]] = [[], []]
  for (let round = -1; round < ROUNDS; round++) {
    const seconds = round < 0 ? WARM_UP : SECONDS
    const without = await rate(untold, seconds)
    await sink.told({ forget: true })
    const withAll = await rate(told, seconds)
    const { count } = await sink.told()
    await drained(docket)
    if (round < 0) continue
    ratios.push(withAll / without)
    shares.push(count / (withAll * seconds * WEBHOOKS))
    if (round === 0)
      console.log(`    ${without.toFixed(0)}/s, with webhooks ${withAll.toFixed(0)}/s`)
  }
  tell('POST a task with 5 webhooks / without', median(ratios), { least: 0.7 })
  console.log(`    delivered meanwhile: ${(median(shares) * 100).toFixed(0)} %`)
  await Promise.all([docket.stop(), sink.stop()])
}

/** Waits until nothing waits to be sent. */
export async function drained(docket: Docket): Promise<void> {
  const waiting = async () =>
    (await docket.metric('docket_webhook_events_waiting')) +
    (await docket.metric('docket_webhook_deliveries_pending'))
  while ((await waiting()) > 0) await pause(200)
}
