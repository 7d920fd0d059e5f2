import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Manifest } from '#archive/manifest.ts'
import { NOBODY } from '#core/actor.ts'
import { Refusal } from '#core/refusal.ts'
import { newId } from '#lib/id.ts'
import { queryOfAll } from '#storage/statement.ts'
import { docketOn, ENGINES, type Served } from '../support/engines.ts'
import { freshDocket } from '../support/fresh.ts'
import { newHome } from '../support/home.ts'
import { forged, forgedLine } from './forging.ts'
import { contentOf, exported, imported, newName } from './support.ts'
import { newWorld } from './world.ts'

type Line = Record<string, unknown>

/** A good archive, and whose it is. */
const made = docketOn('sqlite').then(async (served) => {
  const home = await newWorld(served)
  const { archive } = await exported(served, home.workspace)
  const [other] = [await newHome(served.storage)]
  return { home, archive, other }
})

/** What of an installation an import could leave behind. */
const counted = ({ storage }: Served) =>
  storage.read(NOBODY, async (tx) => {
    const rows = await Promise.all(TABLES.map((table) => tx.all(rowsOf[table], {})))
    return rows.map((row) => row[0]?.count)
  })
const TABLES = ['workspaces', 'users', 'memberships', 'projects', 'tasks', 'events'] as const
const countOf = (table: (typeof TABLES)[number]) =>
  queryOfAll((db) => db.selectFrom(table).select((is) => is.fn.countAll<number>().as('count')))
const rowsOf = {
  workspaces: countOf('workspaces'),
  users: countOf('users'),
  memberships: countOf('memberships'),
  projects: countOf('projects'),
  tasks: countOf('tasks'),
  events: countOf('events'),
}

/** Imports it into an empty place, which must be as empty afterwards; gives the no. */
async function refusalOf(to: Served, path: string): Promise<Refusal> {
  const before = await counted(to)
  const no = await imported(to, path).then(
    () => assert.fail(`${path} was imported`),
    (error: unknown) => error,
  )
  if (!(no instanceof Refusal)) throw no
  assert.deepEqual(await counted(to), before, 'nothing is left')
  return no
}

test('what is no whole archive is refused by its place', async () => {
  const { archive } = await made
  const to = await freshDocket('sqlite')
  const good = readFileSync(archive)
  const raw = (bytes: Buffer) => {
    const path = newName()
    writeFileSync(path, bytes)
    return path
  }
  const cut = raw(good)
  const cases: [RegExp, string][] = [[/cannot be opened/, newName()]]
  for (const size of [0, 100, 512, 700, good.length >> 1, good.length - 1_500]) {
    cases.push([/cut off|ends in the middle|does not end with/, raw(good.subarray(0, size))])
  }
  truncateSync(cut, good.length - 1_024)
  cases.push([/does not end|ends in the middle|or the end is cut/, cut])
  cases.push([/byte 0 is no file that docket export has written/, raw(gzipSync(good))])
  const link = newName()
  symlinkSync('/etc', link)
  cases.push([/cannot be opened|no plain file|EISDIR/, link])
  for (const [wanted, path] of cases) assert.match((await refusalOf(to, path)).message, wanted)

  cases.length = 0
  cases.push([/stands behind its end/, raw(Buffer.concat([good, Buffer.alloc(512)]))])
  // A byte that is another, wherever it is; of the manifest, what it says of the rest.
  const until = good.indexOf('"made_at"') - 200
  for (let at = 3; at < until; at += Math.floor(until / 60)) {
    const bad = Buffer.from(good)
    bad[at] = (bad[at] ?? 0) ^ 1
    cases.push([/./, raw(bad)])
  }
  for (const [wanted, path] of cases) {
    const { code, message } = await refusalOf(to, path)
    assert.match(code, /^archive_(damaged|invalid)$/, message)
    assert.match(message, wanted)
  }
})

test('names, sizes and formats that an export never writes are refused', async () => {
  const { archive } = await made
  const to = await freshDocket('sqlite')
  const put = (name: string, bytes: Buffer | string = 'x') =>
    forged(archive, (content) => content.set(name, Buffer.from(bytes)))
  const restated = (how: (manifest: Manifest) => unknown) => forged(archive, () => {}, how)
  const file =
    [...(await contentOf(archive)).keys()].find((name) => name.startsWith('files/')) ?? ''
  const cases: [RegExp, Promise<string>][] = [
    [/\.\.\/evil is no name/, put('../evil')],
    [/\/etc\/passwd is no name/, put('/etc/passwd')],
    [/files\/att_.*\.\. is no name/, put(`${file}/..`)],
    [/api_keys\.jsonl is no name/, put('api_keys.jsonl')],
    [/belongs to no attachment/, put(`files/${newId('att')}`)],
    [/is not the file that was attached/, put(file, 'other')],
    [/says here, and files\/.* is not/, forged(archive, (content) => content.delete(file))],
    [/tasks\.jsonl is missing/, forged(archive, (content) => content.delete('tasks.jsonl'))],
    [/of format 2.*or a newer one/, restated((one) => Object.assign(one, { format: 2 }))],
    [/parts must name/, restated((one) => one.parts.pop())],
    [/format/, restated((one) => Object.assign(one, { format: '1' }))],
    [/more is not known here/, restated((one) => Object.assign(one, { more: 1 }))],
    [/names 7 files/, restated((one) => Object.assign(one.files, { count: 7 }))],
    [
      /tasks\.jsonl is not as it was written/,
      restated((one) => {
        for (const part of one.parts) part.sha256 = '0'.repeat(64)
      }),
    ],
  ]
  for (const [wanted, path] of cases.slice(0, -1)) {
    assert.match((await refusalOf(to, await path)).message, wanted)
  }
  const [, wrong] = cases.at(-1) ?? []
  assert.match((await refusalOf(to, (await wrong) ?? '')).message, /is not as it was written/)
  const long = put('tasks.jsonl', Buffer.concat([Buffer.alloc(9_000_000, 0x61), Buffer.from('\n')]))
  assert.match((await refusalOf(to, await long)).message, /tasks\.jsonl line 1 is longer than/)
  const latin = put('tasks.jsonl', Buffer.from('{"title":"Gr\u00fc\u00dfe"}\n', 'latin1'))
  assert.match((await refusalOf(to, await latin)).message, /tasks\.jsonl line 1 is not UTF-8/)
})

test('a line that does not go together with the others is named', async () => {
  const { home, archive, other } = await made
  const to = await freshDocket('sqlite')
  const content = await contentOf(archive)
  const linesOf = (part: string): Line[] =>
    (content.get(`${part}.jsonl`)?.toString() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const tasks = linesOf('tasks')
  const live = tasks.findIndex((one) => one.deleted_at === null && one.parent_id === null)
  const n = live + 1
  const set = (part: string, number: number, fields: Line) =>
    forgedLine(archive, part, number, (line) => Object.assign(line, fields))
  const task = (fields: Line) => set('tasks', n, fields)
  const at = (part: string, number: number, what: string) =>
    new RegExp(`^${part}\\.jsonl line ${number}: ${what}`, 'm')
  const gone = newId('tsk')
  const cases: [RegExp, Promise<string>][] = [
    [at('tasks', n, 'The line must be an object'), forgedLine(archive, 'tasks', n, () => '{"id":')],
    [at('tasks', n, 'The line must be an object'), forgedLine(archive, 'tasks', n, () => '[]')],
    [at('tasks', n, 'The line must be an object'), forgedLine(archive, 'tasks', n, () => '')],
    [at('tasks', n, 'evil is not known'), task({ evil: 1 })],
    [
      at('tasks', n, '__proto__ is not known'),
      forgedLine(archive, 'tasks', n, (line) =>
        JSON.stringify(line).replace('{', '{"__proto__":{"a":1},'),
      ),
    ],
    [at('tasks', n, 'title is required'), task({ title: undefined })],
    [at('tasks', n, 'title must have at most 500'), task({ title: 'x'.repeat(600) })],
    [at('tasks', n, 'title holds characters'), task({ title: 'a\u0000b' })],
    [at('tasks', n, 'number must be'), task({ number: 1.5 })],
    [at('tasks', n, 'number is beyond the last_number'), task({ number: 99_999 })],
    [at('tasks', n + 1, 'id must be greater'), set('tasks', n + 1, { id: tasks[live]?.id })],
    [at('tasks', n, 'parent_id names a task that is not'), task({ parent_id: gone })],
    [at('tasks', n, 'blocked_by_ids names a task'), task({ blocked_by_ids: [gone] })],
    [at('tasks', n, 'parent_id leads round in a circle'), task({ parent_id: tasks[live]?.id })],
    [at('tasks', n, 'blocked_by_ids leads round'), task({ blocked_by_ids: [tasks[live]?.id] })],
    [at('tasks', n, 'assignee_ids names nobody'), task({ assignee_ids: [other.people.owner] })],
    [at('tasks', n, 'tag_ids names what is no tag'), task({ tag_ids: [newId('tag')] })],
    [at('tasks', n, 'project_id names what is not'), task({ project_id: other.project })],
    [at('tasks', n, 'status is no status'), task({ status: 'nowhere' })],
    [at('tasks', n, 'status is no status'), task({ status_category: 'canceled' })],
    [
      at('tasks', tasks.length, 'position is there already'),
      set('tasks', tasks.length, {
        ...{ position: tasks[live]?.position, project_id: tasks[live]?.project_id },
      }),
    ],
    [at('comments', 1, 'task_id names what is not'), set('comments', 1, { task_id: gone })],
    [at('comments', 1, 'author_id names nobody'), set('comments', 1, { author_id: newId('usr') })],
    [at('members', 1, 'email must be an e-mail'), set('members', 1, { email: 'nobody' })],
    [
      at('members', 2, 'email is there already'),
      set('members', 2, {
        email: linesOf('members')[0]?.email,
      }),
    ],
    [at('projects', 2, 'prefix is there already'), set('projects', 2, { prefix: 'NEW' })],
    [
      at('events', 2, 'event.sequence must be 2'),
      forgedLine(archive, 'events', 2, (line) =>
        Object.assign(Object(line.event), { sequence: 7 }),
      ),
    ],
    [
      at('events', 1, 'event.workspace_id names another'),
      forgedLine(archive, 'events', 1, (line) =>
        Object.assign(Object(line.event), { workspace_id: other.workspace }),
      ),
    ],
    [
      at('applications', 1, 'redirect_uris\\[0\\] cannot be'),
      set('applications', 1, {
        redirect_uris: ['javascript:alert(1)'],
      }),
    ],
    [
      at('workspace', 2, 'The line is one too many'),
      forged(archive, (all) => {
        const one = all.get('workspace.jsonl')?.toString() ?? ''
        const second = one.replace(home.workspace, 'wsp_7zzzzzzzzzzzzzzzzzzzzzzzzz')
        all.set('workspace.jsonl', Buffer.from(one + second))
      }),
    ],
  ]
  for (const [wanted, path] of cases) {
    const { status, code, message } = await refusalOf(to, await path)
    assert.deepEqual([status, code], [422, 'archive_invalid'], `${wanted}: ${message}`)
    assert.match(message, wanted)
    assert.match(message, /Nothing was imported\.$/)
  }
  // A circle of three, and nothing else wrong: told by one of them.
  const three = tasks.filter((one) => one.deleted_at === null).slice(0, 3)
  const circle = forged(archive, (all) => {
    const lines = tasks.map((line) => {
      const place = three.findIndex(({ id }) => id === line.id)
      const next = three[(place + 1) % 3]?.id
      return JSON.stringify(place === -1 ? line : { ...line, blocked_by_ids: [next] })
    })
    all.set('tasks.jsonl', Buffer.from(`${lines.join('\n')}\n`))
  })
  assert.match((await refusalOf(to, await circle)).message, /blocked_by_ids leads round/)
  // All faults of a file are told together, but no endless list of them.
  const many = forged(archive, (all) => {
    all.set('tasks.jsonl', Buffer.from('{}\n'.repeat(1_000)))
  })
  const { details } = await refusalOf(to, await many)
  assert.ok(details.length >= 20 && details.length < 200)
})

for (const engine of ENGINES) {
  test(`what only the last step finds leaves nothing either (${engine})`, async () => {
    const { archive } = await made
    const to = await freshDocket(engine)
    const { storage, config } = to
    const { openFiles } = await import('#files/open.ts')
    const { importWorkspace } = await import('#archive/import.ts')
    const before = await counted(to)
    const files = {
      ...openFiles(config),
      put: () => Promise.reject(new Refusal(503, 'unavailable', 'The disk is full.')),
    }
    const wanted = { from: archive, told() {} }
    await assert.rejects(importWorkspace(storage, files, wanted), { message: 'The disk is full.' })
    assert.deepEqual(await counted(to), before)
    assert.equal((await imported(to, archive)).ids, 'kept', 'and it can be tried again at once')
  })
}
