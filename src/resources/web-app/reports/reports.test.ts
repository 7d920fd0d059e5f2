import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  computeExpectedReports,
  listReportDays,
  type ReportSourceData,
  type RoleRequester,
  readReportSourceData,
  shiftDay,
} from '#test/support/data/expected-reports.ts'
import { ENGINES, openTestDocket, type TestDocket } from '#test/support/engines/test-docket.ts'
import { createTestClock, type TestClock } from '#test/support/system/test-clock.ts'
import { createTestClient, openTestClient } from '#test/support/world/test-client.ts'
import { createTestSession } from '#test/support/world/test-session.ts'
import { createTestWorkspace, type TestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'

/** The range includes both clock changes of Zurich and of St John's. */
const FIRST = '2025-10-01T00:00:00.000Z'
const LAST = '2026-04-20T12:00:00.000Z'
const ZONES = ['Europe/Zurich', 'America/St_Johns', 'Pacific/Kiritimati', 'UTC'] as const
const STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'canceled'] as const

/** Pseudo-random numbers by seed, so that a failure can be reproduced. */
function random(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface ReportWorld {
  team: TestWorkspace
  told: RoleRequester
  tags: string[]
}

/** Simulates half a year: tasks are created, moved, reopened and deleted, and time is logged. */
async function lived(docket: TestDocket, clock: TestClock, seed: number): Promise<ReportWorld> {
  const { server, storage, config } = docket
  clock.set(Date.parse(FIRST))
  const team = await createTestWorkspace(storage)
  const below = random(seed)
  const { send } = createTestClient(docket, team)
  const tags: string[] = []
  for (const name of ['infra', 'text']) {
    tags.push((await send(`POST /api/v1/projects/${team.project}/tags`, { name })).id)
  }
  const tasks: string[] = []
  const people = [team.people.owner, team.people.admin, team.people.member]
  const steps = 260
  for (let step = 0; step < steps; step += 1) {
    clock.advance(Math.floor((Date.parse(LAST) - Date.parse(FIRST)) / steps))
    const id = tasks[below(tasks.length)] ?? ''
    const what = tasks.length < 5 ? 0 : below(10)
    if (what < 3) {
      const hidden = below(5) === 0
      const made = await send('POST /api/v1/tasks', {
        project_id: hidden ? team.hidden : team.project,
        title: `"status_category":{ ${step}`,
        status: STATUSES[below(3)],
        estimate_seconds: below(2) ? 3_600 * (1 + below(5)) : null,
        ...(!hidden && {
          assignee_ids: [people[below(3)]],
          tag_ids: step % 3 ? [tags[below(2)]] : tags,
        }),
      })
      tasks.push(made.id)
    } else if (what < 8) {
      await send(`PATCH /api/v1/tasks/${id}`, { status: STATUSES[below(6)], title: `t ${step}` })
    } else if (what === 8 || step % 3 > 0) {
      await send(`POST /api/v1/tasks/${id}/time-entries`, {
        duration_seconds: 60 + below(7_200),
        billable: below(2) === 1,
        spent_on: new Date(clock.now()).toISOString().slice(0, 10),
        note: step % 4 === 0 ? `a "note" ${step}` : null,
      })
    } else {
      await send(`DELETE /api/v1/tasks/${id}`)
      tasks.splice(tasks.indexOf(id), 1)
    }
  }
  // Sessions must be created at the present time.
  clock.set(Date.now())
  const told = async (role: Role) => {
    const session = await createTestSession(storage, team, role, config.baseUrl)
    return async <T>(
      url: string,
      method: 'GET' | 'PATCH' = 'GET',
      payload?: object,
    ): Promise<T> => {
      const { headers } = session
      const reply = await server.inject({ method, url, headers, ...(payload && { payload }) })
      assert.equal(reply.statusCode, 200, `${url} → ${reply.body}`)
      return reply.json()
    }
  }
  return { team, told, tags }
}

for (const engine of ENGINES) {
  test(`reports equal the sums of the API records in any time zone, on ${engine}`, async () => {
    const clock = createTestClock()
    const docket = await openTestDocket(engine, {}, { clock })
    const seed = 7
    const { team, told, tags } = await lived(docket, clock, seed)
    for (const role of ['owner', 'member'] as const) {
      const ask = await told(role)
      const all = await readReportSourceData(ask, new Date().toISOString())
      assert.ok(all.tasks.length > 30, `${all.tasks.length} tasks`)
      for (const timezone of role === 'owner' ? ZONES : ZONES.slice(0, 1)) {
        await ask('/internal/account', 'PATCH', { timezone })
        const whole = { after: '2025-10-01', before: '2026-04-22' }
        const part = { after: '2026-02-27', before: '2026-04-03' }
        const today = new Date().toISOString().slice(0, 10)
        const filters = [
          { after: shiftDay(today, -9), before: shiftDay(today, 5) },
          { ...whole },
          { ...part },
          { ...part, project_id: team.hidden },
          { ...whole, member_id: `${team.people.member},${team.people.admin}` },
          { ...whole, tag_id: tags[0] ?? '' },
        ]
        // One zone with all filters, the others with those whose days differ.
        for (const query of timezone === ZONES[0] ? filters : filters.slice(0, 3)) {
          const context = `seed ${seed}, ${engine}, ${role}, ${timezone}, ${JSON.stringify(query)}`
          await same(all, ask, { ...query, timezone }, context)
        }
      }
    }
  })

  test(`a range is at most three years and not empty, on ${engine}`, async () => {
    const { request } = await openTestClient(engine)
    const status = async (query: string) =>
      (await request(`GET /internal/reports/flow?${query}`, undefined, 'guest')).status
    assert.equal(await status(''), 200)
    assert.equal(await status('after=2026-01-02&before=2026-01-02'), 400)
    assert.equal(await status('after=2020-01-01&before=2026-01-02'), 400)
    assert.equal(await status('after=2020-01-01&before=2023-01-01'), 200)
    assert.equal(await status('after=2020-13-01'), 400)
  })
}

/** Compares each report with figures computed from the records. */
async function same(
  all: ReportSourceData,
  ask: Awaited<ReturnType<RoleRequester>>,
  query: Parameters<typeof computeExpectedReports>[1],
  context: string,
) {
  const { 'time-entries': entries, ...wanted } = computeExpectedReports(all, query)
  const { timezone: _, ...rest } = query
  const text = new URLSearchParams(rest).toString()
  for (const [name, value] of Object.entries(wanted)) {
    const {
      range,
      forecast: __,
      ...got
    } = await ask<{ range: object; forecast?: object }>(`/internal/reports/${name}?${text}`)
    assert.deepEqual(range, { after: query.after, before: query.before, timezone: query.timezone })
    assert.deepEqual(got, value, `${name}: ${context}`)
  }
  assert.deepEqual(await readEntries(ask, text), entries, `time-entries: ${context}`)
  assert.equal(listReportDays(query).at(-1), shiftDay(query.before, -1))
}

/** Reads the entries in pages that are smaller than what one day may have. */
async function readEntries(ask: Awaited<ReturnType<RoleRequester>>, query: string) {
  const entries: object[] = []
  for (let cursor = ''; ; ) {
    const page: { data: object[]; next_cursor: string | null } = await ask(
      `/internal/reports/time-entries?${query}&limit=7${cursor}`,
    )
    entries.push(...page.data)
    if (page.next_cursor === null) return entries
    cursor = `&cursor=${page.next_cursor}`
  }
}
