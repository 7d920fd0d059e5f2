import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createSilent, type Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { openStore } from '#storage/open.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { backlogSql } from '../storage/backlog.ts'
import { emptyDir } from '../support/dir.ts'
import { log } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { SECRET } from '../support/process.ts'

/** How many webhooks a workspace has to which receivers, and what waits for each of the first kind there is. */
export interface Crowd {
  hanging?: number
  quick?: number
  timed?: number
  waiting?: number
}

/** An installation that nobody serves yet: a workspace that is measured, and one that is in its way. */
export interface World {
  dataDir: string
  home: Home
}

/** Receivers on this machine: one never answers, one answers at once, one notes how late each event is. */
export async function receivers() {
  const delays = new Map<string, number>()
  const held = new Set<Socket>()
  const silent = createSilent((socket) => held.add(socket.on('error', () => {}).resume()))
  const timing = createServer(async (request, response) => {
    const arrived = Date.now()
    const { timestamp, data } = JSON.parse(await text(request))
    const key = `${request.url} ${data.id}`
    if (!delays.has(key)) delays.set(key, arrived - Date.parse(timestamp))
    response.end('ok')
  })
  const [hanging, timed] = await Promise.all(
    [silent, timing].map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }),
  )
  const thread = new Worker(new URL('neighbours-quick.ts', import.meta.url))
  const [quick]: string[] = await once(thread, 'message')
  return {
    hanging: hanging ?? '',
    timed: timed ?? '',
    quick: quick ?? '',
    /** Milliseconds from the commit of an event until it came first, by path and task. */
    delays,
    /** Connections to the one that never answers. */
    held,
    async close() {
      silent.close()
      for (const socket of held) socket.destroy()
      timing.close()
      timing.closeAllConnections()
      await thread.terminate()
    },
  }
}

export type Receivers = Awaited<ReturnType<typeof receivers>>

/** Makes the installation: `own` are the webhooks of the measured workspace, `noisy` those of the other. */
export async function worldOf(to: Receivers, own: Crowd, noisy: Crowd): Promise<World> {
  const dataDir = emptyDir()
  const config = configFrom({
    DOCKET_DATA_DIR: dataDir,
    DOCKET_SECRET: SECRET,
    DOCKET_LIMIT_PAID: '1000000',
  })
  const { storage } = await openStore(config)
  const { server } = await app(storage, config, SECRET, log)
  const home = await newHome(storage)
  const backlogs = [
    ...(await crowded(server, home, to, own)),
    ...(await crowded(server, await newHome(storage), to, noisy)),
  ]
  await server.close()
  await storage.close()
  const db = new DatabaseSync(join(dataDir, 'docket.db'))
  for (const sql of backlogs) db.exec(sql)
  db.close()
  return { dataDir, home }
}

/** Makes the webhooks of a workspace; gives the SQL of what waits for them. */
async function crowded(server: FastifyInstance, home: Home, to: Receivers, crowd: Crowd) {
  const headers = { authorization: `Bearer ${home.keys.owner}` }
  const make = async (url: string, payload: object): Promise<string> => {
    const reply = await server.inject({ method: 'POST', url, headers, payload })
    if (reply.statusCode !== 201) throw new Error(reply.body)
    return reply.json().id
  }
  await make('/api/v1/tasks', { project_id: home.project, title: 'The first' })
  const ids: string[] = []
  let burdened = 0
  for (const kind of ['hanging', 'quick', 'timed'] as const) {
    for (let n = 0; n < (crowd[kind] ?? 0); n++) {
      ids.push(
        await make('/api/v1/webhooks', { url: `${to[kind]}/${n}`, events: ['task.created'] }),
      )
    }
    burdened ||= ids.length
  }
  const { waiting: events = 0 } = crowd
  if (events === 0) return []
  const webhooks = ids.slice(0, burdened)
  return backlogSql({
    workspace: home.workspace,
    webhooks,
    events,
    since: new Date().toISOString(),
  })
}
