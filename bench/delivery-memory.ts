import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { backlogSql } from '#test/storage/backlog.ts'
import { addTasks, addWebhooks, unserved } from './delivery-seed.ts'
import { median, tell } from './figures.ts'
import { startDocket, startSink } from './processes.ts'

const ROUNDS = 3
const WAITING = 200_000
const WEBHOOKS = 10
const SECONDS = 10

/** What the process holds while receivers hang and much waits for them, to where little waits. */
export async function compareMemory(): Promise<void> {
  const sink = await startSink()
  const [little, much] = [await hanging(sink.url, 1_000), await hanging(sink.url, WAITING)]
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [less, more] = [await held(little), await held(much)]
    ratios.push(more / less)
    if (round === 0) console.log(`    ${(less / 1e6).toFixed(0)} → ${(more / 1e6).toFixed(0)} MB`)
  }
  tell('memory with 200,000 deliveries waiting / 1,000', median(ratios), { most: 1.1 })
  await sink.stop()
}

async function hanging(url: string, deliveries: number): Promise<string> {
  const made = await unserved()
  await addTasks(made, 1)
  const webhooks = await addWebhooks(made, Array(WEBHOOKS).fill(`${url}/hang`))
  await made.storage.close()
  const db = new DatabaseSync(`${made.dataDir}/docket.db`)
  const { workspace } = made
  const events = deliveries / WEBHOOKS
  const since = new Date().toISOString()
  for (const sql of backlogSql({ workspace, webhooks, events, since })) db.exec(sql)
  db.close()
  return made.dataDir
}

async function held(dataDir: string): Promise<number> {
  const docket = await startDocket(dataDir, { DOCKET_WEBHOOK_TIMEOUT_SECONDS: '1' })
  await pause(SECONDS * 1_000)
  const memory = await docket.memory()
  await docket.stop()
  return memory
}
