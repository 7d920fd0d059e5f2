import { setTimeout as pause } from 'node:timers/promises'
import { measureLoadCost, WARM_UP_SECONDS } from '../api/bare-server-comparison.ts'
import { median, reportFigure } from '../support/figures.ts'
import { type DocketProcess, startDocketProcess, startWebhookSink } from '../support/processes.ts'
import { addWebhooks, createSampleTask, openStoppedInstallation } from './delivery-seed.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 5)
const SECONDS = Number(process.env.SECONDS ?? 2)
const WEBHOOKS = 5

/** Compares the rate of creating tasks with five webhooks and without any. */
export async function compareTaskCreation(): Promise<void> {
  const sink = await startWebhookSink()
  const told = await openStoppedInstallation()
  await addWebhooks(told, Array(WEBHOOKS).fill(sink.url))
  await told.storage.close()
  const untold = await openStoppedInstallation(told.dataDir)
  await untold.storage.close()
  const docket = await startDocketProcess(told.dataDir)
  let serial = 0
  const rate = async ({ key, project }: typeof told, seconds: number) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = () => JSON.stringify(createSampleTask(project, serial++))
    const request = { method: 'POST', path: '/api/v1/tasks', body } as const
    return (await measureLoadCost(docket, request, headers, seconds)).rate
  }

  const [ratios, shares]: [number[], number[]] = [[], []]
  for (let round = -1; round < ROUNDS; round++) {
    const seconds = round < 0 ? WARM_UP_SECONDS : SECONDS
    const without = await rate(untold, seconds)
    await sink.readReport({ forget: true })
    const withAll = await rate(told, seconds)
    const { count } = await sink.readReport()
    await waitUntilDelivered(docket)
    if (round < 0) continue
    ratios.push(withAll / without)
    shares.push(count / (withAll * seconds * WEBHOOKS))
    if (round === 0)
      console.log(`    ${without.toFixed(0)}/s, with webhooks ${withAll.toFixed(0)}/s`)
  }
  reportFigure('POST a task with 5 webhooks / without', ratios, { least: 0.7 })
  console.log(`    delivered meanwhile: ${(median(shares) * 100).toFixed(0)} %`)
  await Promise.all([docket.stop(), sink.stop()])
}

/** Waits until the delivery queue is empty. */
export async function waitUntilDelivered(docket: DocketProcess): Promise<void> {
  const waiting = async () =>
    (await docket.metric('docket_webhook_events_waiting')) +
    (await docket.metric('docket_webhook_deliveries_pending'))
  while ((await waiting()) > 0) await pause(200)
}
