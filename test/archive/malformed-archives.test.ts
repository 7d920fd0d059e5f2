import assert from 'node:assert/strict'
import { readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ArchiveManifest } from '#archive/format/archive-manifest.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError } from '#core/api-error.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { newId } from '#lib/id.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { createTestWorkspace } from '../support/world/test-workspace.ts'
import { exportArchive, importArchive, newArchivePath, readArchiveFiles } from './archive-files.ts'
import { createFilledWorkspace } from './filled-workspace.ts'
import { forgeArchive, forgeLine } from './forge-archive.ts'

type ForgedLine = Record<string, unknown>

/** A valid archive with its workspace, and another workspace. */
const validArchive = openTestDocket('sqlite').then(async (served) => {
  const team = await createFilledWorkspace(served)
  const { archive } = await exportArchive(served, team.workspace)
  const [other] = [await createTestWorkspace(served.storage)]
  return { team, archive, other }
})

/** Counts the rows that a failed import could leave behind. */
const countRows = ({ storage }: TestDocket) =>
  storage.read(ANONYMOUS_ACTOR, async (tx) => {
    const rows = await Promise.all(TABLES.map((table) => tx.all(rowsOf[table], {})))
    return rows.map((row) => row[0]?.count)
  })
const TABLES = ['workspaces', 'users', 'memberships', 'projects', 'tasks', 'events'] as const
const countOf = (table: (typeof TABLES)[number]) =>
  unscopedQuery((db) => db.selectFrom(table).select((is) => is.fn.countAll<number>().as('count')))
const rowsOf = {
  workspaces: countOf('workspaces'),
  users: countOf('users'),
  memberships: countOf('memberships'),
  projects: countOf('projects'),
  tasks: countOf('tasks'),
  events: countOf('events'),
}

/** Imports a file that must be rejected without leaving a row; returns the error. */
async function importError(to: TestDocket, path: string): Promise<ApiError> {
  const before = await countRows(to)
  const error = await importArchive(to, path).then(
    () => assert.fail(`${path} was imported`),
    (reason: unknown) => reason,
  )
  if (!(error instanceof ApiError)) throw error
  assert.deepEqual(await countRows(to), before, 'nothing is left')
  return error
}

test('rejects truncated and corrupted archives', async () => {
  const { archive } = await validArchive
  const to = await openFreshDocket('sqlite')
  const validBytes = readFileSync(archive)
  const writeBytes = (bytes: Buffer) => {
    const path = newArchivePath()
    writeFileSync(path, bytes)
    return path
  }
  const cut = writeBytes(validBytes)
  const cases: [RegExp, string][] = [[/cannot be opened/, newArchivePath()]]
  for (const size of [0, 100, 512, 700, validBytes.length >> 1, validBytes.length - 1_500]) {
    cases.push([
      /cut off|ends in the middle|does not end with/,
      writeBytes(validBytes.subarray(0, size)),
    ])
  }
  truncateSync(cut, validBytes.length - 1_024)
  cases.push([/does not end|ends in the middle|or the end is cut/, cut])
  cases.push([/byte 0 is no file that docket export has written/, writeBytes(gzipSync(validBytes))])
  const link = newArchivePath()
  symlinkSync('/etc', link)
  cases.push([/cannot be opened|not a regular file|EISDIR/, link])
  for (const [pattern, path] of cases) assert.match((await importError(to, path)).message, pattern)

  cases.length = 0
  cases.push([/stands behind its end/, writeBytes(Buffer.concat([validBytes, Buffer.alloc(512)]))])
  // Flips a bit at many positions, up to the part of the manifest that describes the rest.
  const until = validBytes.indexOf('"made_at"') - 200
  for (let at = 3; at < until; at += Math.floor(until / 20)) {
    const corrupted = Buffer.from(validBytes)
    corrupted[at] = (corrupted[at] ?? 0) ^ 1
    cases.push([/./, writeBytes(corrupted)])
  }
  for (const [pattern, path] of cases) {
    const { code, message } = await importError(to, path)
    assert.match(code, /^archive_(damaged|invalid)$/, message)
    assert.match(message, pattern)
  }
})

test('rejects invalid file names, sizes, formats and manifests (path traversal)', async () => {
  const { archive } = await validArchive
  const to = await openFreshDocket('sqlite')
  const withFile = (name: string, bytes: Buffer | string = 'x') =>
    forgeArchive(archive, (content) => content.set(name, Buffer.from(bytes)))
  const withManifest = (how: (manifest: ArchiveManifest) => unknown) =>
    forgeArchive(archive, () => {}, how)
  const file =
    [...(await readArchiveFiles(archive)).keys()].find((name) => name.startsWith('files/')) ?? ''
  const cases: [RegExp, Promise<string>][] = [
    [/unexpected file \.\.\/evil\./, withFile('../evil')],
    [/unexpected file \/etc\/passwd\./, withFile('/etc/passwd')],
    [/unexpected file files\/att_.*\.\.\./, withFile(`${file}/..`)],
    [/unexpected file api_keys\.jsonl\./, withFile('api_keys.jsonl')],
    [/does not belong to any attachment/, withFile(`files/${newId('att')}`)],
    [/does not match its checksum/, withFile(file, 'other')],
    [/is here, but files\/.* is missing/, forgeArchive(archive, (content) => content.delete(file))],
    [/tasks\.jsonl is missing/, forgeArchive(archive, (content) => content.delete('tasks.jsonl'))],
    [/has format 3.*or a newer one/, withManifest((one) => Object.assign(one, { format: 3 }))],
    [/`parts` must list/, withManifest((one) => one.parts.pop())],
    [/format/, withManifest((one) => Object.assign(one, { format: '1' }))],
    [/`more` is not an accepted field/, withManifest((one) => Object.assign(one, { more: 1 }))],
    [/lists 7 files/, withManifest((one) => Object.assign(one.files, { count: 7 }))],
    [
      /tasks\.jsonl does not match its checksum/,
      withManifest((one) => {
        for (const part of one.parts) part.sha256 = '0'.repeat(64)
      }),
    ],
  ]
  for (const [pattern, path] of cases.slice(0, -1)) {
    assert.match((await importError(to, await path)).message, pattern)
  }
  const [, wrong] = cases.at(-1) ?? []
  assert.match((await importError(to, (await wrong) ?? '')).message, /does not match its checksum/)
  const long = withFile(
    'tasks.jsonl',
    Buffer.concat([Buffer.alloc(9_000_000, 0x61), Buffer.from('\n')]),
  )
  assert.match((await importError(to, await long)).message, /tasks\.jsonl line 1 is longer than/)
  const latin = withFile('tasks.jsonl', Buffer.from('{"title":"Gr\u00fc\u00dfe"}\n', 'latin1'))
  assert.match((await importError(to, await latin)).message, /tasks\.jsonl line 1 is not UTF-8/)
})

test('checks the media type of a file like that of an upload', async () => {
  const { archive } = await validArchive
  const to = await openFreshDocket('sqlite')
  for (const content_type of ['text/html; a="""', 'nonsense', 'a/'.padEnd(300, 'b')]) {
    const from = await forgeLine(archive, 'attachments', 1, (line) =>
      Object.assign(line, { content_type }),
    )
    const { workspace_id } = await importArchive(to, from)
    const types = await to.storage.read(ANONYMOUS_ACTOR, (tx) =>
      tx.all(mediaTypes, { in_workspace: workspace_id }),
    )
    assert.ok(types.some((one) => one.content_type === 'application/octet-stream'))
    assert.ok(types.every((one) => one.content_type !== content_type))
  }
})

const mediaTypes = unscopedQuery((db, $: { in_workspace: string }) =>
  db.selectFrom('attachments').select('content_type').where('workspace_id', '=', $.in_workspace),
)

test('names the line that is invalid or inconsistent with others', async () => {
  const { team, archive, other } = await validArchive
  const to = await openFreshDocket('sqlite')
  const content = await readArchiveFiles(archive)
  const linesOf = (part: string): ForgedLine[] =>
    (content.get(`${part}.jsonl`)?.toString() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const tasks = linesOf('tasks')
  const live = tasks.findIndex((one) => one.deleted_at === null && one.parent_id === null)
  const n = live + 1
  const set = (part: string, number: number, fields: ForgedLine) =>
    forgeLine(archive, part, number, (line) => Object.assign(line, fields))
  const task = (fields: ForgedLine) => set('tasks', n, fields)
  const at = (part: string, number: number, what: string) =>
    new RegExp(`^${part}\\.jsonl line ${number}: ${what}`, 'm')
  /** Links may lead to later lines, and are reported with the id of the task. */
  const linked = (what: string) => new RegExp(`^tasks\\.jsonl ${tasks[live]?.id}: ${what}`, 'm')
  const gone = newId('tsk')
  const { project_id, number } = tasks.findLast((one) => one.id !== tasks[live]?.id) ?? {}
  const takenNumber = { project_id, number }
  const cases: [RegExp, Promise<string>][] = [
    [at('tasks', n, 'The line must be an object'), forgeLine(archive, 'tasks', n, () => '{"id":')],
    [at('tasks', n, 'The line must be an object'), forgeLine(archive, 'tasks', n, () => '[]')],
    [at('tasks', n, 'The line must be an object'), forgeLine(archive, 'tasks', n, () => '')],
    [at('tasks', n, '`evil` is not an accepted field'), task({ evil: 1 })],
    [
      at('tasks', n, '`__proto__` is not an accepted field'),
      forgeLine(archive, 'tasks', n, (line) =>
        JSON.stringify(line).replace('{', '{"__proto__":{"a":1},'),
      ),
    ],
    [at('tasks', n, '`title` is required'), task({ title: undefined })],
    [at('tasks', n, '`title` must be at most 500'), task({ title: 'x'.repeat(600) })],
    [at('tasks', n, '`title` must not contain line breaks'), task({ title: 'a\u0000b' })],
    [at('tasks', n, '`number` must be'), task({ number: 1.5 })],
    [at('tasks', n, '`number` is greater than the `last_number`'), task({ number: 99_999 })],
    [at('tasks', n + 1, '`id` must be greater'), set('tasks', n + 1, { id: tasks[live]?.id })],
    [linked('`parent_id` is not in this archive'), task({ parent_id: gone })],
    [linked('`blocked_by_ids` is not in this archive'), task({ blocked_by_ids: [gone] })],
    [linked('`parent_id` forms a cycle'), task({ parent_id: tasks[live]?.id })],
    [linked('`blocked_by_ids` forms a cycle'), task({ blocked_by_ids: [tasks[live]?.id] })],
    [
      at('tasks', n, '`assignee_ids` is not in members.jsonl'),
      task({ assignee_ids: [other.people.owner] }),
    ],
    [at('tasks', n, '`tag_ids` must be a tag of the project'), task({ tag_ids: [newId('tag')] })],
    [at('tasks', n, '`project_id` is not in this archive'), task({ project_id: other.project })],
    [at('tasks', n, '`status` must be a status of the project'), task({ status: 'nowhere' })],
    [
      at('tasks', n, '`status` must be a status of the project'),
      task({ status_category: 'canceled' }),
    ],
    [
      at('tasks', tasks.length, '`position` is already on an earlier line'),
      set('tasks', tasks.length, {
        position: tasks[live]?.position,
        project_id: tasks[live]?.project_id,
      }),
    ],
    [
      linked('`parent_id` must be a task of the same project'),
      task({ parent_id: tasks.find((one) => one.project_id !== tasks[live]?.project_id)?.id }),
    ],
    [
      linked('`former_numbers` is already on an earlier line'),
      task({ former_numbers: [takenNumber] }),
    ],
    [at('comments', 1, '`task_id` is not in this archive'), set('comments', 1, { task_id: gone })],
    [
      at('comments', 1, '`author_id` is not in members.jsonl'),
      set('comments', 1, { author_id: newId('usr') }),
    ],
    [at('members', 1, '`email` must be an email'), set('members', 1, { email: 'nobody' })],
    [
      at('members', 2, '`email` is already on an earlier line'),
      set('members', 2, {
        email: linesOf('members')[0]?.email,
      }),
    ],
    [
      at('projects', 2, '`prefix` is already on an earlier line'),
      set('projects', 2, { prefix: 'NEW' }),
    ],
    [
      at('events', 2, '`event.sequence` must be 2'),
      forgeLine(archive, 'events', 2, (line) => Object.assign(Object(line.event), { sequence: 7 })),
    ],
    [
      at('events', 1, '`event.workspace_id` must be the id of this workspace'),
      forgeLine(archive, 'events', 1, (line) =>
        Object.assign(Object(line.event), { workspace_id: other.workspace }),
      ),
    ],
    [
      at('applications', 1, '`redirect_uris\\[0\\]` is invalid'),
      set('applications', 1, {
        redirect_uris: ['javascript:alert(1)'],
      }),
    ],
    [
      at('workspace', 2, 'The line is not allowed'),
      forgeArchive(archive, (all) => {
        const one = all.get('workspace.jsonl')?.toString() ?? ''
        const second = one.replace(team.workspace, 'wsp_7zzzzzzzzzzzzzzzzzzzzzzzzz')
        all.set('workspace.jsonl', Buffer.from(one + second))
      }),
    ],
  ]
  for (const [pattern, path] of cases) {
    const { status, code, message } = await importError(to, await path)
    assert.deepEqual([status, code], [422, 'archive_invalid'], `${pattern}: ${message}`)
    assert.match(message, pattern)
    assert.match(message, /Nothing was imported\.$/)
  }
  // A cycle of several tasks is reported at one of them.
  const three = tasks.filter((one) => one.deleted_at === null).slice(0, 3)
  const cycle = forgeArchive(archive, (all) => {
    const lines = tasks.map((line) => {
      const place = three.findIndex(({ id }) => id === line.id)
      const next = three[(place + 1) % three.length]?.id
      return JSON.stringify(place === -1 ? line : { ...line, blocked_by_ids: [next] })
    })
    all.set('tasks.jsonl', Buffer.from(`${lines.join('\n')}\n`))
  })
  assert.match((await importError(to, await cycle)).message, /`blocked_by_ids` forms a cycle/)
  // All errors of a file are reported at once, up to a limit.
  const many = forgeArchive(archive, (all) => {
    all.set('tasks.jsonl', Buffer.from('{}\n'.repeat(1_000)))
  })
  const { details } = await importError(to, await many)
  assert.ok(details.length >= 20 && details.length < 200)
})

for (const engine of ENGINES) {
  test(`names a value that is there twice, and leaves nothing on a copy either (${engine})`, async () => {
    const { archive } = await validArchive
    const to = await openFreshDocket(engine)
    const { openFiles } = await import('#files/open.ts')
    const { importWorkspace } = await import('#archive/import/import-workspace.ts')
    const before = await countRows(to)
    const unused = async () => assert.fail('The original of a copy may use these files')
    const files = { ...openFiles(to.config), remove: unused, clear: unused }
    const tasks = (await readArchiveFiles(archive)).get('tasks.jsonl')?.toString().split('\n') ?? []
    const [{ project_id, number }] = tasks.slice(0, 1).map((line) => JSON.parse(line))
    const from = await forgeLine(archive, 'tasks', 2, (line) =>
      Object.assign(line, { project_id, number, position: 'zzzz', tag_ids: [] }),
    )
    const options = { from, isCopy: async () => true, onProgress() {} }
    const message = /^tasks\.jsonl line 2: `number` is already on an earlier line/m
    await assert.rejects(importWorkspace(to.storage, files, options), { message })
    assert.deepEqual(await countRows(to), before)
    assert.equal(
      (await importArchive(to, archive)).ids,
      'kept',
      'and another can be imported at once',
    )
  })

  test(`an import that fails in its last step leaves nothing (${engine})`, async () => {
    const { archive } = await validArchive
    const to = await openFreshDocket(engine)
    const { storage, config } = to
    const { openFiles } = await import('#files/open.ts')
    const { importWorkspace } = await import('#archive/import/import-workspace.ts')
    const before = await countRows(to)
    const files = {
      ...openFiles(config),
      put: () => Promise.reject(new ApiError(503, 'unavailable', 'The disk is full.')),
    }
    const options = { from: archive, isCopy: async () => false, onProgress() {} }
    const unused = async () => assert.fail('The original of a copy may use these files')
    const copied = importWorkspace(
      storage,
      { ...files, remove: unused, clear: unused },
      { ...options, isCopy: async () => true },
    )
    await assert.rejects(copied, { message: 'The disk is full.' })
    await assert.rejects(importWorkspace(storage, files, options), { message: 'The disk is full.' })
    assert.deepEqual(await countRows(to), before)
    assert.equal(
      (await importArchive(to, archive)).ids,
      'kept',
      'and it can be tried again at once',
    )
  })
}

test('an import names each reference to a person who is not in the archive', async () => {
  const { archive } = await validArchive
  const to = await openFreshDocket('sqlite')
  const stranger = newId('usr')
  let count = 0
  for (const [name, bytes] of await readArchiveFiles(archive)) {
    const [part = '', kind] = name.split('.')
    if (kind !== 'jsonl' || part === 'members') continue
    const line: Record<string, unknown> = JSON.parse(bytes.toString().split('\n')[0] || '{}')
    for (const field of Object.keys(line)) {
      const isPerson = field === 'only_for' || /^usr_/.test(String(line[field]))
      if (!isPerson) continue
      count += 1
      const value = Array.isArray(line[field]) ? [stranger] : stranger
      const path = await forgeLine(archive, part, 1, (one) =>
        Object.assign(one, { [field]: value }),
      )
      const message = new RegExp(`^${part}\\.jsonl line 1: \`${field}\` is not in`, 'm')
      await assert.rejects(importArchive(to, path), { code: 'archive_invalid', message }, field)
    }
  }
  assert.ok(count > 5, `${count}`)
})
