import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig } from '#config/config.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { DatabaseEngine } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { openStore } from '#db/installation/open-store.ts'
import { assertCountersMatchRows } from '../data/counters.ts'
import { createEmptyDatabase } from '../engines/test-database.ts'
import { createTempDir } from '../system/temp-dir.ts'
import { TEST_SECRET } from '../system/test-secret.ts'
import type { TestWorkspace } from '../world/test-workspace.ts'

/** Settings of a new, empty installation. */
export async function createEmptyInstallation(
  engine: DatabaseEngine,
): Promise<Record<string, string>> {
  const more = engine === 'postgres' && { DOCKET_DATABASE_URL: (await createEmptyDatabase()).url }
  return {
    DOCKET_DATA_DIR: createTempDir(),
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_DEMO: '0',
    ...more,
  }
}

/**
 * Writes to a server in all the ways that a backup has to preserve, until it is stopped or has done
 * the given number of rounds.
 */
export function startWriteLoad(port: number, { keys, project }: TestWorkspace, rounds = 1e6) {
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
      // The Unicode line separator is not escaped in JSON.
      await send('POST', `/tasks/${task}/comments`, { body: `Separated\u2028by\n${title}` })
      await pause(20)
      if (at % 3 === 0) await send('DELETE', `/attachments/${attachment}`)
    }
  }
  const lanes = Promise.all(Array.from({ length: 3 }, (_, lane) => write(lane)))
  // `stop` and `done` report the error; this avoids an unhandled rejection.
  lanes.catch(() => {})
  return {
    acked,
    /** Resolves when all rounds are done. */
    done: lanes,
    async stop(): Promise<void> {
      stopped = true
      await lanes
    },
  }
}

/** Reads the content of a workspace up to an event; equal rows give equal results. */
export async function readWorkspaceContent(
  env: Record<string, string>,
  { workspace }: TestWorkspace,
  upTo = 1e15,
) {
  const storage = await openStore(parseConfig(env)).then((opened) => opened.storage)
  try {
    await assertCountersMatchRows(storage, workspace)
    return await storage.read({ ...ANONYMOUS_ACTOR, workspace_id: workspace }, async (tx) => {
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
  db.selectFrom('events').selectAll().where('sequence', '<=', $.upTo).orderBy('sequence'),
)

const taskIds = query((db) => db.selectFrom('tasks').select('id').orderBy('id'))
