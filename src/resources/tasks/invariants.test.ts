import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseEngine } from '#core/transaction.ts'
import { assertCountersMatchRows } from '#test/support/data/counters.ts'
import { ENGINES, openTestDocket } from '#test/support/engines/test-docket.ts'
import { createTestWorkspace } from '#test/support/world/test-workspace.ts'

const STEPS = 200

/** Pseudo-random numbers, the same in each run. */
function dice(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}

/** Runs random operations on tasks and returns all results, with names instead of ids. */
async function story(engine: DatabaseEngine, seed: number): Promise<string[]> {
  const { storage, server } = await openTestDocket(engine)
  const team = await createTestWorkspace(storage)
  const { project, hidden, people, keys, workspace } = team
  const random = dice(seed)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const some = <T>(list: readonly T[]) => list.filter(() => random(3) === 0)
  const names = new Map([
    [project, 'project'],
    [hidden, 'hidden'],
    [workspace, 'workspace'],
    ...Object.entries(people).map(([role, id]): [string, string] => [id, role]),
  ])
  const tasks: string[] = []
  const tags: string[] = []
  const told: string[] = []
  const plain = (text: string) =>
    text
      .replace(/\b[a-z]{3}_[0-9a-z]{26}\b/g, (id) => {
        if (!names.has(id)) names.set(id, /^(opr|req|evt)/.test(id) ? id.slice(0, 3) : '?')
        return names.get(id) ?? id
      })
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')
      .replace(/"(time_spent|duration)_seconds":(\d+|\{"from":null,"to":\d+\})/g, '"seconds"')

  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const key = method === 'GET' ? keys.owner : pick([keys.owner, keys.owner, keys.guest])
    const headers = { authorization: `Bearer ${key}` }
    const url = `/api/v1${path}`
    const reply = await server.inject({ method, url, headers, ...(body && { payload: body }) })
    assert.ok(reply.statusCode < 500, `${method} ${url} → ${reply.body}`)
    const made = reply.statusCode === 201 ? reply.json() : undefined
    if (made && !names.has(made.id)) {
      names.set(made.id, made.short_id ?? `tag ${made.name}`)
      if (made.short_id) tasks.push(made.id)
      else tags.push(made.id)
    }
    told.push(plain(`${method} ${url} ${JSON.stringify(body)} → ${reply.statusCode} ${reply.body}`))
  }

  const fields = () => ({
    ...(random(2) && { title: `t${random(9)}` }),
    ...(random(3) === 0 && { status: pick(['todo', 'done', 'canceled', 'in_progress']) }),
    ...(random(3) === 0 && { parent_id: pick([null, ...tasks]) }),
    ...(random(4) === 0 && { blocked_by_ids: some(tasks).slice(0, 5) }),
    ...(random(4) === 0 && { tag_ids: some(tags) }),
    ...(random(4) === 0 && { assignee_ids: some(Object.values(people)) }),
    ...(random(5) === 0 && { due_date: pick([null, '2099-01-01']) }),
    ...(random(5) === 0 && { recurrence: pick([null, { rrule: 'FREQ=DAILY;COUNT=2' }]) }),
    ...(random(5) === 0 && { external_source: 'x', external_id: `${random(4)}` }),
    ...(random(4) === 0 && { [pick(['before_id', 'after_id'])]: pick(tasks) }),
    ...(random(5) === 0 && { custom_fields: { [pick(['a', 'b'])]: pick([null, 1, 2]) } }),
  })
  const create = () => ({ project_id: pick([project, project, hidden]), title: 'x', ...fields() })
  const operation = () =>
    pick([
      () => ({ op: 'create', data: create() }),
      () => ({ op: 'update', id: pick(tasks), data: fields() }),
      () => ({ op: 'delete', id: pick(tasks) }),
      () => ({ op: 'restore', id: pick(tasks) }),
    ])()
  const doings: (() => Promise<void>)[] = [
    () => send('POST', '/tasks', create()),
    () => send('PATCH', `/tasks/${pick(tasks)}`, fields()),
    () => send('PATCH', `/tasks/${pick(tasks)}`, fields()),
    () => send('PATCH', `/tasks/${pick(tasks)}`, { project_id: pick([project, hidden]) }),
    () => send('PATCH', `/tasks/${pick(tasks)}?dry_run=true`, { project_id: hidden, ...fields() }),
    () => send('POST', `/tasks/${pick(tasks)}/complete`),
    () => send('DELETE', `/tasks/${pick(tasks)}`),
    () => send('POST', `/tasks/${pick(tasks)}/restore`),
    () => send('POST', `/tasks/${pick(tasks)}/restore`),
    () => send('POST', `/projects/${pick([project, hidden])}/tags`, { name: `n${random(6)}` }),
    () => send('DELETE', `/tags/${pick(tags)}`),
    () => send('POST', `/tasks/${pick(tasks)}/time-entries`, { running: true }),
    () => send('POST', `/tasks/${pick(tasks)}/comments`, { body: 'x' }),
    () =>
      send('POST', '/tasks/bulk', {
        atomic: random(2) === 0,
        operations: [operation(), operation(), operation()],
      }),
  ]
  for (let step = 0; step < 6; step += 1) await send('POST', '/tasks', create())
  await send('POST', `/projects/${project}/tags`, { name: 'n0' })
  while (tags.length === 0) await send('POST', `/projects/${project}/tags`, { name: 'n1' })
  for (let step = 0; step < STEPS; step += 1) {
    await pick(doings)()
    if (step % 50 === 49) await assertCountersMatchRows(storage, workspace)
  }
  await assertCountersMatchRows(storage, workspace)
  for (const list of ['/tasks?deleted=include&limit=200&sort=created_at', '/events?limit=200']) {
    await send('GET', list)
  }
  return told
}

for (const seed of [1, 2]) {
  test(`random operations keep all counts correct, with equal results on both engines (${seed})`, async () => {
    const [one = [], other = []] = await Promise.all(ENGINES.map((engine) => story(engine, seed)))
    for (const [at, line] of one.entries()) assert.equal(other[at], line, `step ${at}`)
  })
}
