import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { command, type Scoped } from '#db/core/statement.ts'
import { countRows, recountStoredBytes, storedBytes } from '#db/workspaces/stored-bytes.ts'
import { SCOPES } from '#wire/scopes.ts'
import { callApi } from '../support/api/call-api.ts'
import { assertCountersMatchRows } from '../support/data/counters.ts'
import {
  hashWorkspaceFiles,
  omitFromRows,
  readWorkspaceRows,
} from '../support/data/workspace-rows.ts'
import { openFreshDocket } from '../support/engines/fresh-docket.ts'
import { ENGINES, openTestDocket, type TestDocket } from '../support/engines/test-docket.ts'
import { readAuditLog } from '../support/scenario/expected-audit-entries.ts'
import { createTestWorkspace, type TestWorkspace } from '../support/world/test-workspace.ts'
import {
  exportArchive,
  importArchive,
  readArchiveFiles,
  readComparableFiles,
} from './archive-files.ts'
import { EXCLUDED_TABLES, EXPORTED_TABLES } from './excluded-tables.ts'
import { createFilledWorkspace } from './filled-workspace.ts'
import { forgeArchive } from './forge-archive.ts'

const OTHER_ENGINE = { sqlite: 'postgres', postgres: 'sqlite' } as const

/** Columns that an installation sets anew on import: secrets and its own delivery state. */
const INSTALLATION_COLUMNS = {
  applications: ['secret_hash', 'secret_hint'],
  webhooks: [
    'sealed_secret',
    'secret_hint',
    // Disabled until the receiver has the new secret.
    ...['is_active', 'disabled_reason', 'enabled_after_sequence'],
  ],
  workspaces: ['fanned_out_sequence', 'has_unsent_events', 'last_change_number', 'tombstones_from'],
  // Operations can be undone only where they were done.
  activity: ['operation_id'],
  // The numbers of changes begin anew.
  memberships: ['change_number'],
  projects: ['change_number'],
  tags: ['change_number'],
  tasks: ['change_number'],
  comments: ['change_number'],
  time_entries: ['change_number'],
  attachments: ['change_number'],
}

for (const engine of ENGINES) {
  test(`an archive imported on the other engine and back is identical, row by row (${engine})`, async () => {
    const from = await openFreshDocket(engine)
    const team = await createFilledWorkspace(from, [
      ['tag', 1, 2, 0],
      ['tag', 2, 2, 0],
      ['tag', 3, 2, 0],
      ['update', 0, 2, 1],
      ['update', 1, 3, 2],
      ['remove', 5, 0, 0],
      ['restore', 5, 0, 0],
    ])
    const first = await exportArchive(from, team.workspace)
    for (const { part, lines } of first.manifest.parts) assert.ok(lines > 0, `there are ${part}`)
    const there = await openFreshDocket(OTHER_ENGINE[engine])
    assert.equal((await importArchive(there, first.archive)).ids, 'kept')
    await assertCountersMatchRows(there.storage, team.workspace)
    const actor = { ...ANONYMOUS_ACTOR, workspace_id: team.workspace }
    const { counted, rows } = await there.storage.snapshot(actor, async (tx) => ({
      counted: await tx.one(storedBytes, {}),
      rows: await countRows(tx),
    }))
    assert.partialDeepStrictEqual(counted, {
      content_bytes: rows.content,
      history_bytes: rows.history,
    })
    const second = await exportArchive(there, team.workspace)
    assert.deepEqual(
      await readComparableFiles(second.archive),
      await readComparableFiles(first.archive),
    )
    const rowsIn = async (served: TestDocket) =>
      omitFromRows(
        await readWorkspaceRows(served, team.workspace),
        [...EXCLUDED_TABLES, ...EXPORTED_TABLES],
        INSTALLATION_COLUMNS,
      )
    // What can be undone counts towards the storage, and is in no archive.
    await from.storage.write(actor, (tx) => tx.run(emptyTrash, {}))
    await recountStoredBytes(from.storage, team.workspace)
    const [expected, actual] = [await rowsIn(from), await rowsIn(there)]
    assert.deepEqual(actual, expected)
    const empty = Object.keys(expected).filter((table) => expected[table]?.length === 0)
    assert.deepEqual(empty, [], 'of every table there are rows to compare')
    const files = hashWorkspaceFiles(from, team.workspace)
    assert.ok(files && Object.keys(files).length > 1)
    assert.deepEqual(hashWorkspaceFiles(there, team.workspace), files)
    await assertSameInApi(from, there, team)
  })
}

for (const engine of ENGINES) {
  test(`an import on the same installation creates a copy with new ids (${engine})`, async () => {
    const served = await openFreshDocket(engine)
    const team = await createFilledWorkspace(served)
    const first = await exportArchive(served, team.workspace)
    const copy = await importArchive(served, first.archive)
    assert.deepEqual([copy.ids, copy.people], ['new', { known: 4, made: 0 }])
    await assertCountersMatchRows(served.storage, copy.workspace_id)
    const again = await exportArchive(served, team.workspace)
    assert.deepEqual(
      await readComparableFiles(again.archive),
      await readComparableFiles(first.archive),
    )

    const second = await exportArchive(served, copy.workspace_id)
    const [originalText, copyText] = [await textOf(first.archive), await textOf(second.archive)]
    assert.equal(
      withNumberedIds(copyText),
      withNumberedIds(originalText),
      'the same but for the ids, each of them everywhere',
    )
    const sharedIds = new Set(idsIn(originalText)).intersection(new Set(idsIn(copyText)))
    // Deleted records have no line; only their deletion events name them.
    const records = new Set(
      originalText.split('\n').flatMap((line) => /^\{"id":"(\w+)"/.exec(line)?.[1] ?? []),
    )
    const sharedRecords = [...sharedIds].filter((id) => !id.startsWith('usr_') && records.has(id))
    assert.ok(records.size > 30)
    assert.deepEqual(sharedRecords, [], 'no record of the one is named by the other')
    await assertSequencesContinue(served, copy.workspace_id, team)
  })
}

test('an import matches people by email and keeps their accounts', async () => {
  const [from, to] = [await openTestDocket('sqlite'), await openFreshDocket('postgres')]
  const team = await createFilledWorkspace(from)
  const first = await exportArchive(from, team.workspace)
  const { storage, server } = to
  // Another account of this installation has the email of a member of the archive.
  const otherHome = await createTestWorkspace(storage)
  const text = (await readArchiveFiles(first.archive)).get('members.jsonl')?.toString() ?? ''
  const [ada] = text.split('\n').map((line) => JSON.parse(line || '{}'))
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: otherHome.workspace }, async (tx) => {
    await tx.run(renameAccount, { id: otherHome.people.member, email: ada.email })
  })
  const { workspace_id, people } = await importArchive(to, first.archive)
  assert.deepEqual([workspace_id, people], [team.workspace, { known: 1, made: 3 }])
  await assertCountersMatchRows(storage, workspace_id)
  const key = await keyIn(to, workspace_id, team.people.admin)
  const { text: membersText } = await callApi(server, key, {
    method: 'GET',
    url: '/api/v1/workspace/members',
  })
  const [member] = JSON.parse(membersText).data.filter(
    (one: { email: string }) => one.email === ada.email,
  )
  assert.deepEqual([member.id, member.name], [otherHome.people.member, 'The member'])
  assert.ok(!(await textOf((await exportArchive(to, workspace_id)).archive)).includes(ada.id))
})

test('an archive contains the audit log without addresses, and an import begins a new one', async () => {
  const [from, to] = [await openTestDocket('sqlite'), await openFreshDocket('sqlite')]
  const team = await createFilledWorkspace(from)
  await from.storage.write({ ...ANONYMOUS_ACTOR, workspace_id: team.workspace }, async (tx) => {
    const by = 'password' as const
    const address = '192.0.2.1'
    const details = { user_id: team.people.owner, by, factors: 1 as const, address }
    tx.audit('session.created', 'ses_1', details)
  })
  const stored = await readAuditLog(from.storage, team.workspace)
  const { archive } = await exportArchive(from, team.workspace)
  const text = (await readArchiveFiles(archive)).get('audit.jsonl')?.toString() ?? ''
  const lines = text.trim().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    stored.map(({ workspace_id: _, details, ...entry }) => {
      const { address: __, ...others } = JSON.parse(details)
      return { ...entry, details: others }
    }),
  )
  assert.equal((await importArchive(to, archive)).lines.audit, lines.length)
  const begun = await readAuditLog(to.storage, team.workspace)
  assert.deepEqual(begun.map(({ sequence, action }) => [sequence, action]).at(-1), [
    begun.length,
    'workspace.imported',
  ])
  assert.ok(begun.length < lines.length)

  // The first format had no audit log.
  const old = await forgeArchive(
    archive,
    (content) => content.delete('audit.jsonl'),
    (manifest) => {
      manifest.format = 1
      manifest.parts = manifest.parts.filter(({ part }) => part !== 'audit')
    },
  )
  assert.equal((await importArchive(to, old)).ids, 'new')
})

/**
 * Asserts that the API returns the same for both: tasks, also deleted ones, comments, files,
 * events.
 */
async function assertSameInApi(
  one: TestDocket,
  other: TestDocket,
  team: TestWorkspace,
): Promise<void> {
  const there = await keyIn(other, team.workspace, team.people.owner)
  const paths = ['/workspace/members?status=all', '/projects', '/events?limit=200']
  const tasks = await dataOf(one, team.keys.owner, '/tasks?deleted=include&limit=200')
  paths.push('/tasks?deleted=include&limit=200', '/tasks?q=gru')
  for (const { id, deleted_at } of tasks) {
    if (deleted_at) continue
    for (const list of ['comments', 'time-entries', 'attachments'])
      paths.push(`/tasks/${id}/${list}`)
  }
  for (const path of paths) {
    assert.deepEqual(
      await dataOf(other, there, path),
      await dataOf(one, team.keys.owner, path),
      path,
    )
  }
  const [webhook] = await dataOf(other, there, '/webhooks')
  assert.partialDeepStrictEqual(webhook, { is_active: false, status: 'disabled' } as object)
  for (const { id, deleted_at } of tasks) {
    if (deleted_at) continue
    for (const file of await dataOf(other, there, `/tasks/${id}/attachments`)) {
      const url = `/api/v1/attachments/${file.id}/content`
      const [here, gone] = [
        await callApi(one.server, team.keys.owner, { method: 'GET', url }),
        await callApi(other.server, there, { method: 'GET', url }),
      ]
      assert.deepEqual([gone.status, gone.text], [200, here.text])
    }
  }
}

/** Asserts that task numbers and event sequences continue where they were. */
async function assertSequencesContinue(
  served: TestDocket,
  workspace_id: string,
  team: TestWorkspace,
): Promise<void> {
  const key = await keyIn(served, workspace_id, team.people.owner)
  const projects = await dataOf(served, key, '/projects?status=active')
  const [old] = await dataOf(served, team.keys.owner, '/tasks?sort=-created_at')
  assert.ok(old)
  const events = await dataOf(served, key, '/events?limit=200')
  const body = { project_id: projects[0]?.id, title: 'Next' }
  const taskRequest = { method: 'POST', url: '/api/v1/tasks', body }
  const made = JSON.parse((await callApi(served.server, key, taskRequest)).text)
  const numbers = (await dataOf(served, key, '/tasks?deleted=include&limit=200'))
    .filter((one) => one.project_id === body.project_id && one.id !== made.id)
    .map((one) => Number(one.number))
  assert.ok(made.number > Math.max(...numbers))
  const [last] = (await dataOf(served, key, '/events?limit=200')).slice(-1)
  assert.equal(last?.sequence, events.length + 1)
  await assertCountersMatchRows(served.storage, workspace_id)
}

type ApiRecord = Record<string, string>

async function dataOf({ server }: TestDocket, key: string, path: string): Promise<ApiRecord[]> {
  const { status, text } = await callApi(server, key, { method: 'GET', url: `/api/v1${path}` })
  assert.equal(status, 200, `${path}: ${text}`)
  return JSON.parse(text).data
}

const keyIn = async ({ storage }: TestDocket, workspace_id: string, user_id: string) =>
  storage.write({ ...ANONYMOUS_ACTOR, workspace_id }, async (tx) => {
    const keyOptions = { user_id, name: 'after', scopes: SCOPES, expires_at: null }
    return (await createApiKey(tx, keyOptions)).api_key
  })

/** All lines of all parts of an archive. */
async function textOf(path: string): Promise<string> {
  const content = await readComparableFiles(path)
  const lines = [...content].filter(([name]) => name.endsWith('.jsonl'))
  return lines.map(([, text]) => Buffer.from(text, 'latin1').toString()).join('\n')
}

const idsIn = (text: string) => text.match(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/g) ?? []

/** Numbers the ids, so that texts which differ only in ids become equal. */
function withNumberedIds(text: string): string {
  const seen = new Map<string, number>()
  return text.replace(/[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}/g, (id) => {
    if (!seen.has(id)) seen.set(id, seen.size)
    return `${id.slice(0, 3)}#${seen.get(id)}`
  })
}

const emptyTrash = command((db, _: Scoped) => db.deleteFrom('trash'))

const renameAccount = command((db, $: Scoped<{ id: string; email: string }>) =>
  db
    .updateTable('users')
    .set({ email: $.email })
    .where('id', '=', $.id)
    .where('id', 'in', (is) => is.selectFrom('memberships').select('user_id')),
)
