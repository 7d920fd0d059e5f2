import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { createBacklogSql } from '#test/storage/backlog.ts'
import { reportFigure } from '../support/figures.ts'
import { startDocketProcess, startWebhookSink } from '../support/processes.ts'
import { addTasks, addWebhooks, openStoppedInstallation } from './delivery-seed.ts'

const ROUNDS = 3
const LARGE_BACKLOG = 200_000
const WEBHOOKS = 10
const SECONDS = 10

/** Compares the memory of the process with a large and a small backlog, while receivers hang. */
export async function compareDeliveryMemory(): Promise<void> {
  const sink = await startWebhookSink()
  const [little, much] = [
    await createHangingBacklog(sink.url, 1_000),
    await createHangingBacklog(sink.url, LARGE_BACKLOG),
  ]
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [less, more] = [await measureMemory(little), await measureMemory(much)]
    ratios.push(more / less)
    if (round === 0) console.log(`    ${(less / 1e6).toFixed(0)} → ${(more / 1e6).toFixed(0)} MB`)
  }
  reportFigure('memory with 200,000 deliveries waiting / 1,000', ratios, { most: 1.1 })
  await sink.stop()
}

async function createHangingBacklog(url: string, deliveries: number): Promise<string> {
  const made = await openStoppedInstallation()
  await addTasks(made, 1)
  const webhooks = await addWebhooks(made, Array(WEBHOOKS).fill(`${url}/hang`))
  await made.storage.close()
  const db = new DatabaseSync(`${made.dataDir}/docket.db`)
  const { workspace } = made
  const events = deliveries / WEBHOOKS
  const since = new Date().toISOString()
  for (const sql of createBacklogSql({ workspace, webhooks, events, since })) db.exec(sql)
  db.close()
  return made.dataDir
}

async function measureMemory(dataDir: string): Promise<number> {
  const docket = await startDocketProcess(dataDir, { DOCKET_WEBHOOK_TIMEOUT_SECONDS: '1' })
  await pause(SECONDS * 1_000)
  const memory = await docket.memory()
  await docket.stop()
  return memory
}
