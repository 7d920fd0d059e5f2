import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import type { Engine } from '#core/tx.ts'
import { openStore } from '#storage/open.ts'
import { query, type Scoped } from '#storage/statement.ts'
import { configFrom } from '../../src/config.ts'
import { audit } from './audit.ts'
import { emptyDir } from './dir.ts'
import type { Home } from './home.ts'
import { SECRET } from './process.ts'
import { emptyDatabase } from './store.ts'

/** Settings of an installation that has nothing yet. */
export async function emptyPlace(engine: Engine): Promise<Record<string, string>> {
  const more = engine === 'postgres' && { DOCKET_DATABASE_URL: (await emptyDatabase()).url }
  return { DOCKET_DATA_DIR: emptyDir(), DOCKET_SECRET: SECRET, DOCKET_DEMO: '0', ...more }
}

/** Writes to a server in every way that a backup has to get right, until it is told to stop, or enough. */
export function load(port: number, { keys, project }: Home, rounds = 1e6) {
  const acked: string[] = []
  let stopped = false
  const authorization = `Bearer ${keys.owner}`
  async function send(method: string, path: string, body?: string | object): Promise<string> {
    const json = typeof body === 'object'
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method,
      headers: { authorization, ...(json && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: json ? JSON.stringify(body) : body }),
    })
    const text = await reply.text()
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`)
    return text === '' ? '' : (JSON.parse(text) as { id: string }).id
  }
  async function write(lane: number): Promise<void> {
    for (let at = 0; !stopped && at < rounds; at += 1) {
      const title = `${lane}.${at} "quoted" \\ \u{1f680}`
      const task = await send('POST', '/tasks', { project_id: project, title })
      acked.push(task)
      const file = `/tasks/${task}/attachments?filename=a`
      const attachment = await send('POST', file, `${lane}.${at}`.repeat(500))
      // A line separator of Unicode stands in JSON as it is.
      await send('POST', `/tasks/${task}/comments`, { body: `Separated\u2028by\n${title}` })
      await pause(20)
      if (at % 3 === 0) await send('DELETE', `/attachments/${attachment}`)
    }
  }
  const lanes = Promise.all(Array.from({ length: 3 }, (_, lane) => write(lane)))
  // Told by `stop`.
  lanes.catch(() => {})
  return {
    acked,
    /** When there is enough. */
    done: lanes,
    async stop(): Promise<void> {
      stopped = true
      await lanes
    },
  }
}

/** What an installation holds in a workspace, up to an event: the same text for the same rows. */
export async function contentOf(env: Record<string, string>, { workspace }: Home, upTo = 1e15) {
  const storage = await openStore(configFrom(env)).then((opened) => opened.storage)
  try {
    await audit(storage, workspace)
    return await storage.read({ ...NOBODY, workspace_id: workspace }, async (tx) => {
      const events = await tx.all(eventsUpTo, { upTo })
      const hash = createHash('sha256').update(JSON.stringify(events)).digest('hex')
      const sequences = events.map(({ sequence }) => sequence)
      assert.deepEqual(
        sequences,
        sequences.map((_, at) => at + 1),
        'events are without a gap',
      )
      const tasks = (await tx.all(taskIds, {})).map(({ id }) => id)
      return { last: sequences.length, events: hash, tasks }
    })
  } finally {
    await storage.close()
  }
}

const eventsUpTo = query((db, $: Scoped<{ upTo: number }>) =>
  db
    .selectFrom('events')
    .selectAll()
    .where('workspace_id', '=', $.workspace_id)
    .where('sequence', '<=', $.upTo)
    .orderBy('sequence'),
)

const taskIds = query((db, $: Scoped) =>
  db.selectFrom('tasks').select('id').where('workspace_id', '=', $.workspace_id).orderBy('id'),
)
