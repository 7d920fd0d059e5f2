import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ENGINES, type TestDocket } from '#test/support/engines/test-docket.ts'
import { CREATE_TASK_STEP } from '#test/support/scenario/create-task-step.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, tagStep } from '#test/support/scenario/steps.ts'
import { createTestClock } from '#test/support/system/test-clock.ts'
import { createTestClient, openTestClient } from '#test/support/world/test-client.ts'
import type { TestWorkspace } from '#test/support/world/test-workspace.ts'
import type { Role } from '#wire/rights.ts'
import type { TimeGroup, TimeReport } from './contract.ts'
import { insertTimeEntry } from './store.ts'

const REPORT = '/api/v1/reports/time'
const MARCH = 'spent_after=2026-03-01&spent_before=2026-04-01'

const logged = (task: string, body: object): ScenarioStep => ({
  send: `POST /api/v1/tasks/${task}/time-entries`,
  body,
  status: 201,
  events: ['time_entry.created'],
})

const reporting = (query: string, reply: object): ScenarioStep => ({
  send: `GET ${REPORT}?${query}`,
  status: 200,
  reply,
  check: ({ body }) =>
    assert.equal((body as { rows: [] }).rows.length, (reply as { rows: [] }).rows.length, query),
})

const sums = (seconds: number, billable_seconds: number, entries: number) => ({
  seconds,
  billable_seconds,
  entries,
})

const csv = (query: string, as: ScenarioStep['as'], ...lines: string[]): ScenarioStep => ({
  send: `GET ${REPORT}?${query}`,
  ...(as && { as }),
  headers: { accept: 'text/csv' },
  status: 200,
  replyHeaders: { 'content-type': 'text/csv; charset=utf-8' },
  check: ({ bytes }, known) => {
    const text = lines.map((line) => `${line}\r\n`).join('')
    const filled = text.replaceAll(/\{(\w+)\}/g, (_, name) => known[name] ?? '')
    assert.equal(bytes.toString(), `\ufeff${filled}`)
  },
})

scenario('reports time by each group, with names, and each entry once in the total', [
  tagStep('project', '=infra', 'infra'),
  tagStep('project', 'text', 'text'),
  CREATE_TASK_STEP,
  createTaskStep(
    '+Both',
    { tag_ids: ['{infra}', '{text}'] },
    { keep: { both: 'id', both_short: 'short_id' } },
  ),
  createTaskStep('secret', { project_id: '{hidden}', title: 'Hidden' }),
  createTaskStep('Deleted', {}, { keep: { gone: 'id' } }),
  // A Sunday, the Monday after it, and the days beside the month.
  logged('{task}', { duration_seconds: 100, spent_on: '2026-03-01' }),
  logged('{both}', { duration_seconds: 1000, spent_on: '2026-03-02', billable: true }),
  { ...logged('{both}', { duration_seconds: 20, spent_on: '2026-03-31' }), as: 'guest' },
  logged('{secret}', { duration_seconds: 3, spent_on: '2026-03-02', billable: true }),
  logged('{task}', { duration_seconds: 7, spent_on: '2026-02-28' }),
  logged('{task}', { duration_seconds: 7, spent_on: '2026-04-01' }),
  logged('{task}', { running: true, spent_on: '2026-03-05' }),
  logged('{gone}', { duration_seconds: 5_000, spent_on: '2026-03-02' }),
  { send: 'DELETE /api/v1/tasks/{gone}', status: 204, events: ['task.deleted'] },
  reporting(MARCH, {
    spent_after: '2026-03-01',
    spent_before: '2026-04-01',
    group_by: [],
    total: sums(1123, 1003, 4),
    rows: [sums(1123, 1003, 4)],
  }),
  reporting(`${MARCH}&group_by=user,project`, {
    group_by: ['user', 'project'],
    total: sums(1123, 1003, 4),
    rows: [
      {
        user_id: '{owner}',
        user_name: 'The owner',
        project_id: '{project}',
        project_name: 'Engineering',
        ...sums(1100, 1000, 2),
      },
      { user_id: '{guest}', user_name: 'The guest', project_id: '{project}', ...sums(20, 0, 1) },
      { user_id: '{owner}', project_name: 'Hidden', ...sums(3, 3, 1) },
    ],
  }),
  reporting(`${MARCH}&group_by=tag`, {
    total: sums(1123, 1003, 4),
    rows: [
      { tag_id: '{infra}', tag_name: '=infra', ...sums(1020, 1000, 2) },
      { tag_id: '{text}', tag_name: 'text', ...sums(1020, 1000, 2) },
      { tag_id: null, tag_name: null, ...sums(103, 3, 2) },
    ],
  }),
  reporting(`${MARCH}&group_by=task`, {
    rows: [
      { task_id: '{both}', task_short_id: '{both_short}', task_title: '+Both' },
      { task_id: '{task}', task_short_id: '{short_id}', ...sums(100, 0, 1) },
      { task_id: '{secret}', task_title: 'Hidden' },
    ],
  }),
  reporting(`${MARCH}&group_by=day`, {
    rows: [
      { day: '2026-03-01', ...sums(100, 0, 1) },
      { day: '2026-03-02', ...sums(1003, 1003, 2) },
      { day: '2026-03-31', ...sums(20, 0, 1) },
    ],
  }),
  reporting(`${MARCH}&group_by=week`, {
    rows: [
      { week: '2026-02-23', ...sums(100, 0, 1) },
      { week: '2026-03-02', ...sums(1003, 1003, 2) },
      { week: '2026-03-30', ...sums(20, 0, 1) },
    ],
  }),
  reporting('spent_after=2026-02-01&spent_before=2026-05-01&group_by=month', {
    total: sums(1137, 1003, 6),
    rows: [
      { month: '2026-02-01', ...sums(7, 0, 1) },
      { month: '2026-03-01', ...sums(1123, 1003, 4) },
      { month: '2026-04-01', ...sums(7, 0, 1) },
    ],
  }),
  // Rows, totals and the ids of a private project are as if it did not exist.
  {
    ...reporting(`${MARCH}&group_by=project`, {
      total: sums(1120, 1000, 3),
      rows: [{ project_id: '{project}', ...sums(1120, 1000, 3) }],
    }),
    as: 'member',
  },
  {
    ...reporting(`${MARCH}&project_id={hidden}`, { total: sums(0, 0, 0), rows: [] }),
    as: 'guest',
  },
  reporting(`${MARCH}&project_id=prj_01k2m3n4p5q6r7s8t9v0w1x2y3`, {
    total: sums(0, 0, 0),
    rows: [],
  }),
  { ...reporting(`${MARCH}&user_id=me`, { rows: [sums(20, 0, 1)] }), as: 'guest' },
  reporting(`${MARCH}&user_id=me,{guest}`, { rows: [sums(1123, 1003, 4)] }),
  reporting(`${MARCH}&tag_id={infra}&billable=true`, { rows: [sums(1000, 1000, 1)] }),
  reporting(`${MARCH}&billable=false`, { rows: [sums(120, 0, 2)] }),
  csv(
    `${MARCH}&group_by=tag,task`,
    'member',
    'tag_id,tag_name,task_id,task_short_id,task_title,seconds,billable_seconds,entries',
    "{infra},'=infra,{both},{both_short},'+Both,1020,1000,2",
    "{text},text,{both},{both_short},'+Both,1020,1000,2",
    ',,{task},{short_id},Ship the importer,100,0,1',
  ),
  csv(
    'group_by=user&spent_after=2030-01-01&spent_before=2030-02-01',
    undefined,
    'user_id,user_name,seconds,billable_seconds,entries',
  ),
  {
    ...reporting(MARCH, { rows: [sums(1123, 1003, 4)] }),
    headers: { accept: 'application/json, text/csv' },
  },
  {
    send: `GET ${REPORT}?${MARCH}`,
    headers: { accept: 'text/csv;q=0.9, application/json;q=0.5' },
    status: 200,
    replyHeaders: { 'content-type': 'text/csv; charset=utf-8' },
  },
  {
    ...reporting(MARCH, { rows: [sums(1123, 1003, 4)] }),
    headers: { accept: '*/*, text/csv;q=0' },
  },
  // A group names records of another scope.
  { send: `GET ${REPORT}?${MARCH}`, as: ['time_entries:read'], status: 200 },
  { send: `GET ${REPORT}?${MARCH}&group_by=day`, as: ['time_entries:read'], status: 200 },
  ...['user', 'project', 'tag', 'task'].map((group) => ({
    send: `GET ${REPORT}?${MARCH}&group_by=${group}`,
    as: ['time_entries:read'] as const,
    status: 403,
    reply: { error: { code: 'insufficient_scope' } },
  })),
  {
    send: `GET ${REPORT}?${MARCH}&group_by=task`,
    as: ['time_entries:read', 'tasks:read'],
    status: 200,
  },
  { send: `GET ${REPORT}`, as: ['tasks:read'], status: 403 },
  { send: `GET ${REPORT}?group_by=user,project,tag,task`, status: 400 },
  { send: `GET ${REPORT}?group_by=user,user`, status: 400 },
  { send: `GET ${REPORT}?group_by=year`, status: 400 },
  { send: `GET ${REPORT}?spent_after=2026-03-01&spent_before=2026-03-01`, status: 400 },
  { send: `GET ${REPORT}?spent_after=2020-01-01&spent_before=2023-01-02`, status: 400 },
  // The month after the last one has no date.
  { send: `GET ${REPORT}?spent_after=9999-12-01`, status: 400 },
  { send: `GET ${REPORT}?time_zone=UTC`, status: 400 },
])

const range = (spent_after: string, spent_before: string) => ({ spent_after, spent_before })
/** In Zurich, the zone of the person, it is already the first of March. */
const clock = createTestClock()

scenario(
  'a report without a range is of the present month of the person',
  [
    {
      send: `GET ${REPORT}`,
      prepare: async () => clock.set(Date.parse('2026-02-28T23:30:00Z')),
      status: 200,
      reply: range('2026-03-01', '2026-04-01'),
    },
    {
      send: `GET ${REPORT}?spent_before=2026-02-15`,
      status: 200,
      reply: range('2026-02-01', '2026-02-15'),
    },
    {
      send: `GET ${REPORT}?spent_before=2026-02-01`,
      status: 200,
      reply: range('2026-01-01', '2026-02-01'),
    },
    {
      send: `GET ${REPORT}?spent_after=2026-01-15`,
      status: 200,
      reply: range('2026-01-15', '2026-04-01'),
    },
    {
      send: `GET ${REPORT}?spent_after=2026-12-31`,
      status: 200,
      reply: range('2026-12-31', '2027-01-01'),
    },
  ],
  {},
  { clock },
)

/** Pseudo-random numbers by seed, so that a failure can be reproduced. */
function random(seed: number) {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const dayOf = (number: number) => new Date(number * 86_400_000).toISOString().slice(0, 10)
const numberOf = (day: string) => Date.parse(day) / 86_400_000
const FIRST_DAY = numberOf('2025-12-20')
const DAYS = 60

/** Logs time at random on tasks of two projects, some of them deleted, with no, one or two tags. */
async function logAtRandom(
  docket: TestDocket,
  team: TestWorkspace,
  below: ReturnType<typeof random>,
) {
  const { send } = createTestClient(docket, team)
  const create = async (url: string, body: object, as?: Role): Promise<string> =>
    (await send(`POST /api/v1${url}`, body, as)).id
  const tags = [
    await create(`/projects/${team.project}/tags`, { name: 'infra' }),
    await create(`/projects/${team.project}/tags`, { name: 'text' }),
  ]
  for (let at = 0; at < 45; at += 1) {
    const isHidden = at % 4 === 0
    const task = await create('/tasks', {
      project_id: isHidden ? team.hidden : team.project,
      title: `Task ${at}`,
      ...(!isHidden && { tag_ids: tags.slice(0, below(3)) }),
    })
    for (let more = below(5); more > 0; more -= 1)
      await create(
        `/tasks/${task}/time-entries`,
        below(20) === 0
          ? { running: true }
          : {
              duration_seconds: 1 + below(9_000),
              spent_on: dayOf(FIRST_DAY + below(DAYS)),
              billable: below(2) === 1,
            },
        isHidden || below(2) ? 'admin' : 'member',
      )
    if (at % 9 === 0) await send(`DELETE /api/v1/tasks/${task}`)
  }
  return tags
}

/** A finished entry, or a timer whose `duration_seconds` is not read. */
interface SourceEntry {
  id: string
  task_id: string
  project_id: string
  user_id: string
  spent_on: string
  duration_seconds: number
  billable: boolean
  is_running: boolean
}

/** The values of a group that an entry counts for, computed without Docket's code. */
function groupValues(entry: SourceEntry, group: TimeGroup, tagsOf: Map<string, string[]>) {
  const tags = tagsOf.get(entry.task_id) ?? []
  const day = numberOf(entry.spent_on)
  const values: Record<TimeGroup, (string | null)[]> = {
    user: [entry.user_id],
    project: [entry.project_id],
    tag: tags.length === 0 ? [null] : tags,
    task: [entry.task_id],
    day: [entry.spent_on],
    week: [dayOf(day - ((day + 3) % 7))],
    month: [`${entry.spent_on.slice(0, 7)}-01`],
  }
  return values[group]
}

const KEYS: Record<TimeGroup, keyof TimeReport['rows'][number]> = {
  user: 'user_id',
  project: 'project_id',
  tag: 'tag_id',
  task: 'task_id',
  day: 'day',
  week: 'week',
  month: 'month',
}
const GROUPS = Object.keys(KEYS) as TimeGroup[]

function sumByGroups(
  entries: readonly SourceEntry[],
  groups: readonly TimeGroup[],
  tagsOf: Map<string, string[]>,
) {
  const rows = new Map<string, ReturnType<typeof sums>>()
  for (const entry of entries) {
    const keys = groups.reduce<(string | null)[][]>(
      (all, group) =>
        all.flatMap((key) => groupValues(entry, group, tagsOf).map((value) => [...key, value])),
      [[]],
    )
    for (const key of keys.map((one) => one.join(' '))) {
      const row = rows.get(key) ?? sums(0, 0, 0)
      row.seconds += entry.duration_seconds
      row.billable_seconds += entry.billable ? entry.duration_seconds : 0
      row.entries += 1
      rows.set(key, row)
    }
  }
  return new Map([...rows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

for (const engine of ENGINES) {
  test(`lists and reports equal the lists of all tasks, on ${engine}`, async () => {
    const docket = await openTestClient(engine)
    const { team } = docket
    const seed = 11
    const below = random(seed)
    const tags = await logAtRandom(docket, team, below)
    for (const role of ['owner', 'member', 'guest'] as const) {
      const ask = <T>(url: string): Promise<T> => docket.send(`GET ${url}`, undefined, role)
      const { tasks, entries } = await readEntries(ask)
      const tagsOf = new Map(tasks.map(({ id, tag_ids }) => [id, tag_ids]))
      for (let time = 0; time < 12; time += 1) {
        const first = FIRST_DAY + below(DAYS)
        const query = {
          spent_after: dayOf(first),
          spent_before: dayOf(first + 1 + below(DAYS)),
          ...(below(3) === 0 && { user_id: team.people[below(2) ? 'admin' : 'member'] }),
          ...(below(3) === 0 && { project_id: below(2) ? team.project : team.hidden }),
          ...(below(3) === 0 && { billable: `${below(2) === 1}` }),
        }
        const groups = GROUPS.toSorted(() => below(3) - 1).slice(0, below(4))
        const tag = below(3) === 0 ? tags[below(2)] : undefined
        const context = `seed ${seed}, ${engine}, ${role}, ${JSON.stringify({ ...query, tag })}, ${groups}`
        const matching = entries.filter(
          ({ user_id, project_id, spent_on, billable }) =>
            spent_on >= query.spent_after &&
            spent_on < query.spent_before &&
            (query.user_id ?? user_id) === user_id &&
            (query.project_id ?? project_id) === project_id &&
            (query.billable ?? `${billable}`) === `${billable}`,
        )
        const parameters = new URLSearchParams(query)
        const sort = below(2) ? 'spent_on' : '-spent_on'
        const listed = await readAll<SourceEntry>(
          ask,
          `/api/v1/time-entries?${parameters}&sort=${sort}&limit=${5 + below(9)}`,
        )
        const order = (a: SourceEntry, b: SourceEntry) =>
          `${a.spent_on} ${a.id}` < `${b.spent_on} ${b.id}` ? -1 : 1
        const sorted = matching.toSorted(order)
        assert.deepEqual(listed, sort === 'spent_on' ? sorted : sorted.toReversed(), context)

        const finished = matching.filter(
          ({ task_id, is_running }) =>
            !is_running && (tag === undefined || tagsOf.get(task_id)?.includes(tag)),
        )
        if (tag !== undefined) parameters.set('tag_id', tag)
        const grouped = groups.length > 0 ? `&group_by=${groups}` : ''
        const report = await ask<TimeReport>(`${REPORT}?${parameters}${grouped}`)
        const rows = report.rows.map((row) => {
          const key = groups.map((group) => row[KEYS[group]]).join(' ')
          return [key, sums(row.seconds, row.billable_seconds, row.entries)] as const
        })
        assert.deepEqual(
          new Map(rows.toSorted(([a], [b]) => (a < b ? -1 : 1))),
          sumByGroups(finished, groups, tagsOf),
          context,
        )
        assert.equal(rows.length, new Map(rows).size, context)
        const [total = sums(0, 0, 0)] = sumByGroups(finished, [], tagsOf).values()
        assert.deepEqual(report.total, total, context)
      }
    }
  })
}

for (const engine of ENGINES) {
  test(`a report has at most 10,000 rows, and a list of one task any number, on ${engine}`, async () => {
    const { storage, team, send, request } = await openTestClient(engine)
    const tasks: string[] = []
    for (let at = 0; at < 10; at += 1) {
      const task = { project_id: team.project, title: `Task ${at}` }
      tasks.push((await send('POST /api/v1/tasks', task)).id)
    }
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const log = (days: readonly number[]) =>
      storage.write(actor, (tx) =>
        tx.runEach(
          insertTimeEntry,
          tasks.flatMap((task_id) =>
            days.map((day) => ({
              id: tx.newRecordId('tme'),
              task_id,
              user_id: team.people.owner,
              started_at: null,
              ended_at: null,
              duration_seconds: 60,
              spent_on: dayOf(FIRST_DAY + day),
              note: null,
              billable: 0,
              source: 'api_key' as const,
              created_by_id: team.people.owner,
              created_at: tx.now,
              updated_at: tx.now,
            })),
          ),
        ),
      )
    await log(Array.from({ length: 1_000 }, (_, day) => day))
    const range = `spent_after=${dayOf(FIRST_DAY)}&spent_before=${dayOf(FIRST_DAY + 1_001)}`
    const ask = (url: string) => request(`GET ${url}`)
    const full = await ask(`${REPORT}?${range}&group_by=task,day`)
    assert.equal(full.body.rows.length, 10_000)
    await log([1_000])
    const tooMuch = await ask(`${REPORT}?${range}&group_by=task,day`)
    assert.equal(tooMuch.status, 400)
    assert.match(tooMuch.body.error.message, /`group_by` gives 10010 rows/)
    const months = await ask(`${REPORT}?${range}&group_by=task,month`)
    assert.equal(months.body.total.entries, 10_010)
    // Of more entries than are sorted, a page is read in the order of days.
    for (const filter of [`task_id=${tasks[3]}`, `project_id=${team.project}`]) {
      const list = await ask(`/api/v1/time-entries?${filter}&limit=20`)
      const days = list.body.data.map(({ spent_on }: SourceEntry) => numberOf(spent_on))
      const perDay = filter.startsWith('task') ? 1 : tasks.length
      const expected = Array.from({ length: 20 }, (_, at) => 1_000 - Math.floor(at / perDay))
      assert.deepEqual(
        days,
        expected.map((day) => FIRST_DAY + day),
      )
    }
  })
}

interface EntryPage<T> {
  data: T[]
  has_more: boolean
  next_cursor: string | null
}

/** Reads all pages of a list. */
async function readAll<T>(ask: <R>(url: string) => Promise<R>, url: string): Promise<T[]> {
  const records: T[] = []
  for (let cursor = ''; ; ) {
    const page = await ask<EntryPage<T>>(url + cursor)
    records.push(...page.data)
    if (!page.has_more) return records
    cursor = `&cursor=${page.next_cursor}`
  }
}

/** The visible tasks, and the time entries by the list of each. */
async function readEntries(ask: <R>(url: string) => Promise<R>) {
  const tasks = await readAll<{ id: string; tag_ids: string[] }>(ask, '/api/v1/tasks?limit=200')
  const lists = tasks.map(({ id }) =>
    readAll<SourceEntry>(ask, `/api/v1/tasks/${id}/time-entries?limit=200`),
  )
  return { tasks, entries: (await Promise.all(lists)).flat() }
}
