import { request } from 'node:http'
import { reportFigure } from '../support/figures.ts'
import type { DocketProcess } from '../support/processes.ts'
import type { SeededWorkspace } from '../support/seed.ts'

const MIB = 1024 * 1024
const TIMES = 3

interface FeedPageBody {
  data: object[]
  position: string
  has_more: boolean
}

export async function loadFeedPage(url: string, key: string, query: string): Promise<FeedPageBody> {
  const reply = await fetch(`${url}/api/v1/changes${query}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' },
  })
  if (!reply.ok) throw new Error(`changes: ${reply.status} ${await reply.text()}`)
  return (await reply.json()) as FeedPageBody
}

/** Reads a whole workspace several times, in pages and as a stream, by one reader. */
export async function measureSnapshot(
  docket: DocketProcess,
  { key }: SeededWorkspace,
): Promise<void> {
  // Once in vain, so that the memory of the first snapshot counts for none.
  await readPages(docket, key)
  const before = await docket.memory()
  const pages: Speed[] = []
  const streams: Speed[] = []
  for (let time = 0; time < TIMES; time += 1) {
    pages.push(await measureSpeed(docket, () => readPages(docket, key)))
    streams.push(await measureSpeed(docket, () => readStream(docket, key)))
  }
  const fastest = (speeds: Speed[]) =>
    speeds.reduce((best, one) => (one.perSecond > best.perSecond ? one : best))
  const [inPages, asStream] = [fastest(pages), fastest(streams)]
  reportFigure('records/s of a snapshot in pages of 500', inPages.perSecond, { least: 30_000 })
  reportFigure('records per processor second of it', inPages.perCpuSecond, { least: 30_000 })
  reportFigure('records/s of a snapshot as a stream', asStream.perSecond, { least: 30_000 })
  reportFigure('records per processor second of it', asStream.perCpuSecond, { least: 30_000 })
  const grown = (await docket.memory()) - before
  reportFigure(`MiB by which ${2 * TIMES} snapshots grow the server`, grown / MIB, { most: 32 })
}

interface Speed {
  perSecond: number
  perCpuSecond: number
}

async function measureSpeed(docket: DocketProcess, read: () => Promise<number>): Promise<Speed> {
  const [begun, cpu] = [performance.now(), await docket.cpu()]
  const records = await read()
  const perSecond = (records * 1_000) / (performance.now() - begun)
  return { perSecond, perCpuSecond: records / ((await docket.cpu()) - cpu) }
}

/** Reads as bytes: a client that parses takes longer than the server, on the same two processors. */
async function readPages({ url }: DocketProcess, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' }
  let records = 0
  for (let after = ''; ; ) {
    const reply = await fetch(`${url}/api/v1/changes?limit=500${after}`, { headers })
    const body = Buffer.from(await reply.arrayBuffer())
    const end = body.toString('latin1', Math.max(0, body.length - 1_000))
    const position = /"position":"([^"]+)","has_more":(\w+)}$/.exec(end)
    if (!reply.ok || !position) throw new Error(`changes: ${reply.status} ${end}`)
    records += countOf(body, '{"op":')
    if (position[2] === 'false') return records
    after = `&after=${position[1]}`
  }
}

const readStream = ({ url }: DocketProcess, key: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const outgoing = request(`${url}/api/v1/changes`, { headers }, (reply) => {
      let records = 0
      let rest = Buffer.alloc(0)
      reply.on('data', (chunk: Buffer) => {
        const text = Buffer.concat([rest, chunk])
        const end = text.lastIndexOf('\n\n') + 2
        const events = text.subarray(0, end)
        rest = text.subarray(end)
        records += countOf(events, 'event: change\n')
        if (!events.includes('event: caught_up\n')) return
        outgoing.destroy()
        resolve(records)
      })
    })
    outgoing.on('error', reject).end()
  })

function countOf(text: Buffer, word: string): number {
  let count = 0
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) count += 1
  return count
}
