import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { NOBODY } from '#core/actor.ts'
import { erasePerson } from '#resources/members/erasing.ts'
import { STAYING } from '#storage/abandoned.ts'
import { nextErasure } from '#storage/erasure.ts'
import { openStore } from '#storage/open.ts'
import { command, type Scoped } from '#storage/statement.ts'
import { app } from '../../src/app.ts'
import { configFrom } from '../../src/config.ts'
import { censusOf, filesOf, without } from '../support/census.ts'
import { ENGINES, log } from '../support/engines.ts'
import { type Home, newHome } from '../support/home.ts'
import { end, start } from '../support/process.ts'
import { emptyPlace } from '../support/saved.ts'
import { sessionOf } from '../support/session.ts'
import { until } from '../support/until.ts'

const TASKS = 90
const LIVES = 3
const STEPS_A_LIFE = 3

/** Runs what takes away until it has told of so many steps, and kills it soon after. */
async function live(env: Record<string, string>): Promise<void> {
  const script = join(import.meta.dirname, '../support/housekeeping.ts')
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const steps: string[] = []
  for await (const line of createInterface(child.stdout)) {
    steps.push(line)
    if (steps.length === STEPS_A_LIFE) break
  }
  await pause(Math.random() * 10)
  child.kill('SIGKILL')
  const [code, signal] = await ended
  assert.deepEqual([steps.length, code, signal], [STEPS_A_LIFE, null, 'SIGKILL'])
}

for (const engine of ENGINES) {
  test(`what is taken away when it is killed is gone in the end, and never seen by halves (${engine})`, {
    timeout: 120_000,
  }, async () => {
    const env = { ...(await emptyPlace(engine)), DOCKET_LIMIT_PAID: '1000000' }
    const config = configFrom(env)
    const { storage, secret } = await openStore(config)
    const { server } = await app(storage, config, secret, log)
    const [gone, stays] = [await newHome(storage), await newHome(storage)]
    const send = async (home: Home, url: string, payload: object | Buffer) => {
      const type = Buffer.isBuffer(payload) ? 'text/plain' : 'application/json'
      const headers = { authorization: `Bearer ${home.keys.member}`, 'content-type': type }
      const reply = await server.inject({ method: 'POST', url, headers, payload })
      assert.equal(reply.statusCode, 201, reply.body)
      return reply.json() as { id: string }
    }
    const { headers } = await sessionOf(storage, stays, 'member', config.baseUrl)
    const renamed = await server.inject({
      ...{ method: 'PATCH', url: '/internal/account', payload: { name: 'Ottoline Quwertz' } },
      headers: { ...headers, 'content-type': 'application/json' },
    })
    assert.equal(renamed.statusCode, 200, renamed.body)
    for (const home of [gone, stays]) {
      for (let made = 0; made < TASKS; made += 1) {
        const task = { project_id: home.project, title: `Task ${made}` }
        const { id } = await send(home, '/api/v1/tasks', task)
        if (made % 6 > 0) continue
        const url = `/api/v1/tasks/${id}/attachments?filename=a`
        await send(home, url, Buffer.from(`Bytes ${made}`))
      }
    }
    const kept = filesOf({ config }, stays.workspace)
    await storage.write({ ...NOBODY, workspace_id: gone.workspace }, (tx) => tx.run(longGone, {}))
    const by = (workspace_id: string) => ({ ...NOBODY, role: 'owner' as const, workspace_id })
    await erasePerson(storage, stays.people.member, by)
    const named = async () =>
      JSON.stringify(await censusOf({ config }, stays.workspace)).includes('Quwertz')
    assert.ok(await named(), 'the control: events tell the name before')

    const stages: (string | undefined)[] = []
    const places: number[] = []
    for (let lives = 0; lives < LIVES; lives += 1) {
      await live(env)
      const mark = await storage.read(NOBODY, (tx) => tx.one(nextErasure, {}))
      stages.push(mark && JSON.parse(mark.value).stage)
      const left = await censusOf({ config }, gone.workspace)
      places.push(left.tasks?.length ?? 0)
      // A file is there for each row, and for each file a row or a note that it is to go.
      const files = new Set(Object.keys(filesOf({ config }, gone.workspace) ?? {}))
      const idsIn = (table: string) => new Set(left[table]?.map(({ id }) => id ?? ''))
      assert.deepEqual(idsIn('attachments').difference(files), new Set(), 'a row without its file')
      const known = idsIn('attachments').union(idsIn('doomed_files'))
      assert.deepEqual(files.difference(known), new Set(), 'a file of which nothing tells')
      for (const home of [gone, stays]) {
        const authorization = `Bearer ${home.keys.member}`
        const me = await server.inject({ url: '/api/v1/me', headers: { authorization } })
        assert.equal(me.statusCode, 401)
      }
    }
    assert.ok(
      places.some((count) => count > 0 && count < TASKS),
      `killed at ${places} tasks`,
    )
    assert.ok(stages.includes('events') || stages.includes('activity'), `killed at ${stages}`)
    await server.close()
    await storage.close()

    const served = await start(config.dataDir, { env })
    const isOver = async () => filesOf({ config }, gone.workspace) === undefined && !(await named())
    await until('the end of what is left', isOver)
    await end(served, 'SIGTERM')
    const left = without(await censusOf({ config }, gone.workspace), STAYING)
    assert.deepEqual(Object.values(left).flat(), [])
    assert.ok(!(await named()))
    assert.equal((await censusOf({ config }, stays.workspace)).tasks?.length, TASKS)
    assert.deepEqual(filesOf({ config }, stays.workspace), kept)
  })
}

const longGone = command((db, $: Scoped) =>
  db
    .updateTable('workspaces')
    .set({ deleted_at: '2026-01-01T00:00:00.000Z' })
    .where('id', '=', $.workspace_id),
)
