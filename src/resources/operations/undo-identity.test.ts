import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { DatabaseEngine } from '#core/transaction.ts'
import { assertCountersMatchRows } from '#test/support/data/counters.ts'
import { ENGINES } from '#test/support/engines/test-docket.ts'
import { openTestClient } from '#test/support/world/test-client.ts'

const STEPS = 120

/** Pseudo-random numbers, the same in each run. */
function dice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

type Known = Record<string, unknown> & { id: string }

/** What changes with each write, whatever it writes. */
const REVISIONS = new Set(['version', 'updated_at'])

/** What changes with a record beside it. */
const DERIVED = new Set([
  'comment_count',
  'attachment_count',
  'subtask_count',
  'completed_subtask_count',
  'time_spent_seconds',
  'task_count',
  'task_counts',
])

/** A workspace that random writes change. */
async function openRandomWorkspace(engine: DatabaseEngine, seed: number) {
  const { storage, server, team, send } = await openTestClient(engine)
  const { project, hidden, people, keys } = team
  const random = dice(seed)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const some = <T>(list: readonly T[]) => list.filter(() => random(3) === 0)

  /** Sends a write and returns its operation, or undefined if it was refused or changed nothing. */
  async function write(line: string, payload: object = {}, key = keys.owner) {
    const [method, url = ''] = line.split(' ')
    const headers = { authorization: `Bearer ${key}` }
    const body = method === 'DELETE' ? {} : { payload }
    const reply = await server.inject({ method: method as 'POST', url, headers, ...body })
    assert.ok(reply.statusCode < 500, `${line} → ${reply.statusCode} ${reply.body}`)
    return { line, reply, operation: reply.headers['x-operation-id'] as string | undefined }
  }

  const listOf = async (path: string): Promise<Known[]> => {
    const all: Known[] = []
    let cursor = ''
    do {
      const page = await send(`GET ${path}${path.includes('?') ? '&' : '?'}limit=200${cursor}`)
      all.push(...page.data)
      cursor = page.has_more ? `&cursor=${page.next_cursor}` : ''
    } while (cursor)
    return all
  }
  /** Everything that the owner sees, without revisions. */
  async function look() {
    const tasks = await listOf('/api/v1/tasks')
    const deleted = await listOf('/api/v1/tasks?deleted=only')
    const [comments, entries] = [
      await listOf('/api/v1/comments'),
      await listOf('/api/v1/time-entries'),
    ]
    const tags = [
      ...(await listOf(`/api/v1/projects/${project}/tags`)),
      ...(await listOf(`/api/v1/projects/${hidden}/tags`)),
    ]
    const projects = await listOf('/api/v1/projects')
    const visible = [...tasks, ...comments, ...entries, ...tags, ...projects]
      .map((record) =>
        Object.fromEntries(Object.entries(record).filter(([name]) => !REVISIONS.has(name))),
      )
      .toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
    return { tasks, deleted, comments, entries, tags, visible }
  }

  const fields = (tasks: readonly Known[], tags: readonly Known[]) => ({
    ...(random(2) && { title: `t${random(9)}` }),
    ...(random(4) === 0 && {
      description: pick([null, 'short', 'x'.repeat(3_000 + random(9))]),
    }),
    ...(random(3) === 0 && { status: pick(['todo', 'done', 'canceled', 'in_progress']) }),
    ...(random(3) === 0 && { parent_id: pick([null, ...tasks.map(({ id }) => id)]) }),
    ...(random(4) === 0 && { blocked_by_ids: some(tasks.map(({ id }) => id)).slice(0, 5) }),
    ...(random(4) === 0 && { tag_ids: some(tags.map(({ id }) => id)) }),
    ...(random(4) === 0 && { assignee_ids: some(Object.values(people)) }),
    ...(random(5) === 0 && { due_date: pick([null, '2099-01-01']) }),
    ...(random(5) === 0 && { recurrence: pick([null, { rrule: 'FREQ=DAILY;COUNT=2' }]) }),
    ...(random(6) === 0 && { before_id: pick([...tasks.map(({ id }) => id), undefined]) }),
    ...(random(5) === 0 && { custom_fields: { [pick(['a', 'b'])]: pick([null, 1, 2]) } }),
  })

  async function operate(
    { tasks, deleted, comments, entries, tags }: Awaited<ReturnType<typeof look>>,
    key: string,
  ) {
    const send = (line: string, payload?: object) => write(line, payload, key)
    const task = pick(tasks)?.id
    const inProject = tags.filter((tag) => tag.project_id === project)
    const kinds: (() => ReturnType<typeof write>)[] = [
      () => {
        const body = {
          project_id: pick([project, hidden]),
          title: 'x',
          ...fields(tasks, inProject),
        }
        return send('POST /api/v1/tasks', body)
      },
      () => send(`PATCH /api/v1/tasks/${task}`, fields(tasks, inProject)),
      () => send(`PATCH /api/v1/tasks/${task}`, fields(tasks, inProject)),
      () => send(`PATCH /api/v1/tasks/${task}`, { project_id: pick([project, hidden]) }),
      () => send(`POST /api/v1/tasks/${task}/complete`),
      () => send(`DELETE /api/v1/tasks/${task}`),
      () => send(`POST /api/v1/tasks/${pick(deleted)?.id}/restore`),
      () => send(`POST /api/v1/tasks/${task}/comments`, { body: `c${random(9)}` }),
      () => send(`PATCH /api/v1/comments/${pick(comments)?.id}`, { body: `d${random(9)}` }),
      () => send(`DELETE /api/v1/comments/${pick(comments)?.id}`),
      () => send(`POST /api/v1/tasks/${task}/time-entries`, { duration_seconds: 60 + random(60) }),
      () => send(`PATCH /api/v1/time-entries/${pick(entries)?.id}`, { note: `n${random(9)}` }),
      () => send(`DELETE /api/v1/time-entries/${pick(entries)?.id}`),
      () => send(`POST /api/v1/projects/${project}/tags`, { name: `g${random(40)}` }),
      () => send(`PATCH /api/v1/tags/${pick(tags)?.id}`, { name: `h${random(40)}` }),
      () => send(`DELETE /api/v1/tags/${pick(tags)?.id}`),
    ]
    return pick(kinds)()
  }

  return { storage, team, write, look, operate }
}

for (const engine of ENGINES) {
  for (const seed of [1, 2, 3]) {
    test(`an undo is the identity on all that is visible, and its undo the operation (${engine}, ${seed})`, async () => {
      const { storage, team, write, look, operate } = await openRandomWorkspace(engine, seed)
      let undone = 0
      for (let step = 0; step < STEPS; step += 1) {
        const before = await look()
        const { operation, reply, line } = await operate(before, team.keys.owner)
        if (reply.statusCode >= 300 || operation === undefined) continue
        const after = await look()
        const what = `${step}: ${line} ${operation}`
        const undo = await write(`POST /api/v1/operations/${operation}/undo`)
        assert.equal(undo.reply.statusCode, 200, `${what} ${undo.reply.body}`)
        assert.deepEqual((await look()).visible, before.visible, what)
        const redo = await write(`POST /api/v1/operations/${undo.operation}/undo`)
        assert.equal(redo.reply.statusCode, 200, `${what} ${redo.reply.body}`)
        assert.deepEqual((await look()).visible, after.visible, `redo ${what}`)
        undone += 1
      }
      assert.ok(undone > STEPS / 3, `${undone} operations`)
      await assertCountersMatchRows(storage, team.workspace)
    })

    test(`an undo loses nothing that somebody else has changed since (${engine}, ${seed})`, async () => {
      const { storage, team, write, look, operate } = await openRandomWorkspace(engine, seed)
      const outcomes = { undone: 0, refused: 0 }
      for (let step = 0; step < STEPS; step += 1) {
        const { operation, reply, line } = await operate(await look(), team.keys.owner)
        if (reply.statusCode >= 300 || operation === undefined) continue
        const before = await look()
        const other = await operate(before, team.keys.admin)
        if (other.reply.statusCode >= 300 || other.operation === undefined) continue
        const after = await look()
        const what = `${step}: ${line} ${operation}, then ${other.line} ${other.operation}`
        const undo = await write(`POST /api/v1/operations/${operation}/undo`)
        if (undo.reply.statusCode === 409) {
          assert.deepEqual((await look()).visible, after.visible, what)
          const rest = await write(`POST /api/v1/operations/${operation}/undo?only=unchanged`)
          assert.equal(rest.reply.statusCode, 200, `${what} ${rest.reply.body}`)
          outcomes.refused += 1
        } else {
          assert.equal(undo.reply.statusCode, 200, `${what} ${undo.reply.body}`)
          outcomes.undone += 1
        }
        assertKept(before.visible, after.visible, (await look()).visible, what)
      }
      assert.ok(outcomes.undone > 0 && outcomes.refused > 0, JSON.stringify(outcomes))
      await assertCountersMatchRows(storage, team.workspace)
    })
  }
}

type Visible = readonly Record<string, unknown>[]

/** Asserts that what differs between two looks is still so in a third one. */
function assertKept(before: Visible, after: Visible, now: Visible, what: string): void {
  const byId = (records: Visible) => new Map(records.map((record) => [record.id, record]))
  const [old, changed, current] = [byId(before), byId(after), byId(now)]
  for (const id of old.keys())
    if (!changed.has(id)) assert.ok(!current.has(id), `${what}: ${id} is back`)
  for (const [id, record] of changed) {
    const former = old.get(id)
    const present = current.get(id)
    if (!former) assert.ok(present, `${what}: ${id} is lost`)
    if (!former || isDeepStrictEqual(former, record)) continue
    assert.ok(present, `${what}: ${id} is lost`)
    for (const [field, value] of Object.entries(record)) {
      if (DERIVED.has(field)) continue
      const was = membersOf(former[field])
      const set = membersOf(value)
      const is = membersOf(present?.[field])
      for (const name of Object.keys({ ...was, ...set }))
        if (!isDeepStrictEqual(was[name], set[name]))
          assert.deepEqual(is[name], set[name], `${what}: ${id} ${field}.${name}`)
    }
  }
}

/** A set by its elements, an object by its members; of any other value the value itself. */
function membersOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return Object.fromEntries(value.map((one) => [String(one), true]))
  return typeof value === 'object' && value !== null ? { ...value } : { value }
}
