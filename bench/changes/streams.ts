import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '#db/installation/open-store.ts'
import { parseConfig } from '../../src/config/config.ts'
import { reportFigure } from '../support/figures.ts'
import { type DocketProcess, startDocketProcess } from '../support/processes.ts'
import { type SeededWorkspace, seedWorkspace } from '../support/seed.ts'

const STREAMS = 500
const WORKSPACES = 6
/** Opened and closed again, so that code and buffers of the first streams count for none. */
const WARM_UP_STREAMS = 120
const CHANGES = 5
const IDLE_MS = 10_000

interface OpenStream {
  outgoing: ClientRequest
  /** Resolves with the time at which the next change comes. */
  nextChange: () => Promise<number>
}

/** Opens many streams: the memory that each takes, and how soon a change reaches those of a workspace. */
export async function measureStreams(dataDir: string): Promise<void> {
  const { storage } = await openStore(parseConfig({ DOCKET_DATA_DIR: dataDir }))
  const homes: SeededWorkspace[] = []
  for (let n = 0; n < WORKSPACES; n += 1) homes.push(await seedWorkspace(storage, 20))
  await storage.close()
  const docket = await startDocketProcess(dataDir)
  const openSome = async (count: number) => {
    const opened = new Map<SeededWorkspace, OpenStream[]>()
    for (let n = 0; n < count; n += 1) {
      const home = homes[n % homes.length]
      if (home) opened.getOrInsertComputed(home, () => []).push(await openStream(docket, home))
    }
    return opened
  }
  const close = async (opened: ReadonlyMap<SeededWorkspace, OpenStream[]>) => {
    for (const { outgoing } of [...opened.values()].flat()) outgoing.destroy()
    while ((await docket.metric('docket_change_streams')) > 0) await pause(100)
  }
  const warmUp = await openSome(WARM_UP_STREAMS)
  await createTasks(docket, warmUp)
  await close(warmUp)

  const before = await docket.memory()
  const opened = await openSome(STREAMS)
  const cpu = await docket.cpu()
  await pause(IDLE_MS)
  const idle = ((await docket.cpu()) - cpu) / (IDLE_MS / 1_000)
  const grown = (await docket.memory()) - before
  reportFigure('kB of memory for each of 500 open streams', grown / 1_000 / STREAMS, { most: 100 })
  const delays = await createTasks(docket, opened)
  reportFigure('ms until a change reaches all streams of a workspace', delays, {
    most: 1_000,
  })
  console.log(
    `    at most ${Math.max(...delays).toFixed(0)} ms; idle they take ${(idle * 100).toFixed(1)} % of a processor`,
  )
  await close(opened)
  await docket.stop()
}

/** Creates a task in each workspace in turn; returns how long each took to reach its last stream. */
async function createTasks(
  docket: DocketProcess,
  opened: ReadonlyMap<SeededWorkspace, OpenStream[]>,
): Promise<number[]> {
  const delays: number[] = []
  for (const [{ key, project }, streams] of [...opened].slice(0, CHANGES)) {
    const arrivals = streams.map(({ nextChange }) => nextChange())
    const begun = performance.now()
    const reply = await fetch(`${docket.url}/api/v1/tasks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: project, title: 'A change' }),
    })
    if (!reply.ok) throw new Error(await reply.text())
    delays.push(Math.max(...(await Promise.all(arrivals))) - begun)
  }
  return delays
}

/** Opens a stream at the end of the feed, and waits until it has caught up. */
async function openStream({ url }: DocketProcess, { key }: SeededWorkspace): Promise<OpenStream> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const outgoing = request(`${url}/api/v1/changes?after=now`, { headers }).end()
  outgoing.on('error', () => {})
  const [reply] = (await once(outgoing, 'response')) as [IncomingMessage]
  if (reply.statusCode !== 200) throw new Error(`A stream was refused: ${reply.statusCode}`)
  let onChange = () => {}
  reply.on('error', () => {})
  await new Promise<void>((resolve) => {
    reply.on('data', (chunk: Buffer) => {
      if (chunk.includes('event: caught_up')) resolve()
      if (chunk.includes('event: change')) onChange()
    })
  })
  return {
    outgoing,
    nextChange: () =>
      new Promise((resolve) => {
        onChange = () => resolve(performance.now())
      }),
  }
}
