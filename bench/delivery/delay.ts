import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from 'undici'
import { median, reportFigure } from '../support/figures.ts'
import { startDocketProcess, startWebhookSink } from '../support/processes.ts'
import { addWebhooks, createSampleTask, openStoppedInstallation } from './delivery-seed.ts'

const SECONDS = Number(process.env.SECONDS ?? 2) * 5
const RATE = 100
const WARM_UP_SECONDS = 3

/** Measures the delay from a commit until its event reaches a receiver, at 100 events a second. */
export async function measureDeliveryDelays(): Promise<void> {
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
