import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#core/actor.ts'
import { createTestClock, type TestClock } from '#test/support/clock.ts'
import { docketOn, ENGINES, type Served } from '#test/support/engines.ts'
import { type Home, newHome } from '#test/support/home.ts'
import { addDays, daysIn, type Known, known, reported, type Told } from '#test/support/reported.ts'
import { sessionOf } from '#test/support/session.ts'

/** Both changes of the clock in Zurich, and those of St John's, are within. */
const FIRST = '2025-10-01T00:00:00.000Z'
const LAST = '2026-04-20T12:00:00.000Z'
const ZONES = ['Europe/Zurich', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC'] as const
const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled'] as const

/** The same numbers for the same seed: what fails can be run again. */
function random(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface World {
  home: Home
  told: Told
  tags: string[]
}

/** Half a year of a workspace: tasks are made, moved, reopened, deleted, and time is spent on them. */
async function lived(
  { server, storage, config }: Served,
  clock: TestClock,
  seed: number,
): Promise<World> {
  clock.set(Date.parse(FIRST))
  const home = await newHome(storage)
  const below = random(seed)
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${home.keys.owner}` }
    const reply = await server.inject({ method, url, headers, ...(payload && { payload }) })
    assert.ok(reply.statusCode < 300, `${method} ${url} → ${reply.body}`)
    return reply.body === '' ? {} : reply.json()
  }
  const tags: string[] = []
  for (const name of ['infra', 'text']) {
    tags.push((await send('POST', `/api/v1/projects/${home.project}/tags`, { name })).id)
  }
  const tasks: string[] = []
  const people = [home.people.owner, home.people.admin, home.people.member]
  const steps = 260
  for (let step = 0; step < steps; step += 1) {
    clock.advance(Math.floor((Date.parse(LAST) - Date.parse(FIRST)) / steps))
    const id = tasks[below(tasks.length)] ?? ''
    const what = tasks.length < 5 ? 0 : below(10)
    if (what < 3) {
      const hidden = below(5) === 0
      const made = await send('POST', '/api/v1/tasks', {
        ...{
          project_id: hidden ? home.hidden : home.project,
          title: `"status_category":{ ${step}`,
        },
        ...{
          status: STATUSES[below(3)],
          estimate_seconds: below(2) ? 3_600 * (1 + below(5)) : null,
        },
        ...(!hidden && { assignee_ids: [people[below(3)]], tag_ids: [tags[below(2)]] }),
      })
      tasks.push(made.id)
    } else if (what < 8) {
      await send('PATCH', `/api/v1/tasks/${id}`, { status: STATUSES[below(6)], title: `t ${step}` })
    } else if (what === 8 || step % 3 > 0) {
      await send('POST', `/api/v1/tasks/${id}/time-entries`, {
        ...{ duration_seconds: 60 + below(7_200), billable: below(2) === 1 },
        ...{ spent_on: new Date(clock.now()).toISOString().slice(0, 10) },
      })
    } else {
      await send('DELETE', `/api/v1/tasks/${id}`)
      tasks.splice(tasks.indexOf(id), 1)
    }
  }
  // Sessions are of the present.
  clock.set(Date.now())
  const told = async (role: Role) => {
    const session = await sessionOf(storage, home, role, config.baseUrl)
    return async (url: string, method: 'GET' | 'PATCH' = 'GET', payload?: object) => {
      const { headers } = session
      const reply = await server.inject({ method, url, headers, ...(payload && { payload }) })
      assert.equal(reply.statusCode, 200, `${url} → ${reply.body}`)
      return reply.json()
    }
  }
  return { home, told, tags }
}

for (const engine of ENGINES) {
  test(`reports are the sums of what the API tells, in any zone, on ${engine}`, async () => {
    const clock = createTestClock()
    const docket = await docketOn(engine, {}, { clock })
    const seed = 7
    const { home, told, tags } = await lived(docket, clock, seed)
    for (const role of ['owner', 'member'] as const) {
      const ask = await told(role)
      const all = await known(ask, new Date().toISOString())
      assert.ok(all.tasks.length > 30, `${all.tasks.length} tasks`)
      for (const timezone of ZONES) {
        await ask('/internal/account', 'PATCH', { timezone })
        const whole = { after: '2025-10-01', before: '2026-04-22' }
        const part = { after: '2026-02-27', before: '2026-04-03' }
        const today = new Date().toISOString().slice(0, 10)
        const filters = [
          { after: addDays(today, -9), before: addDays(today, 5) },
          { ...whole },
          { ...part },
          { ...part, project_id: home.hidden },
          { ...whole, member_id: `${home.people.member},${home.people.admin}` },
          { ...whole, tag_id: tags[0] ?? '' },
        ]
        for (const query of filters) {
          const context = `seed ${seed}, ${engine}, ${role}, ${timezone}, ${JSON.stringify(query)}`
          await same(all, ask, { ...query, timezone }, context)
        }
      }
    }
  })

  test(`a range is of three years at the most, and not empty, on ${engine}`, async () => {
    const docket = await docketOn(engine)
    const home = await newHome(docket.storage)
    const { headers } = await sessionOf(docket.storage, home, 'guest', docket.config.baseUrl)
    const status = async (query: string) =>
      (await docket.server.inject({ url: `/internal/reports/flow?${query}`, headers })).statusCode
    assert.equal(await status(''), 200)
    assert.equal(await status('after=2026-01-02&before=2026-01-02'), 400)
    assert.equal(await status('after=2020-01-01&before=2026-01-02'), 400)
    assert.equal(await status('after=2020-01-01&before=2023-01-01'), 200)
    assert.equal(await status('after=2020-13-01'), 400)
  })
}

/** Holds each report against what the records themselves say. */
async function same(
  all: Known,
  ask: Awaited<ReturnType<Told>>,
  query: Parameters<typeof reported>[1],
  context: string,
) {
  const wanted = reported(all, query)
  const { timezone: _, ...rest } = query
  const text = new URLSearchParams(rest).toString()
  for (const [name, value] of Object.entries(wanted)) {
    const { range, forecast: __, ...got } = await ask(`/internal/reports/${name}?${text}`)
    assert.deepEqual(range, { after: query.after, before: query.before, timezone: query.timezone })
    assert.deepEqual(got, value, `${name}: ${context}`)
  }
  assert.equal(daysIn(query).at(-1), addDays(query.before, -1))
}
