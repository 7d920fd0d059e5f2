import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { emptyDir } from '../support/dir.ts'
import { answerOf, docket, newPlace } from './run.ts'

const place = await newPlace()
after(place.remove)
const { env } = place

const OWNER = ['--owner-email', 'ada@example.com', '--owner-name', 'Ada Lovelace']
const acme = await answerOf(env, 'workspace', 'create', '--name', 'Acme', ...OWNER)
const chain = acme.workspace_id ?? ''

interface Entry {
  sequence: number
  action: string
  actor_type: string
  subject_id: string
  details: object
}

/** What `audit verify` prints: a line for each chain, and the last of all together. */
async function verified(...words: string[]) {
  const { code, stdout, stderr } = await docket(env, 'audit', 'verify', ...words, '--json')
  const lines = stdout.trim().split('\n')
  assert.equal(stderr, '')
  return { code, told: lines.map((line) => JSON.parse(line)) }
}

function tamper(sql: string): void {
  const db = new DatabaseSync(join(place.dataDir, 'docket.db'))
  db.exec(sql)
  db.close()
}

test('what the command line does is in the audit log, as the system', async () => {
  const user = acme.user_id ?? ''
  const made = ['key', 'create', '--workspace', chain, '--user', user, '--scopes', 'read_only']
  const key = await answerOf(env, ...made)
  await answerOf(env, 'key', 'revoke', '--key', key.id ?? '')
  await answerOf(env, 'user', 'reset-password', '--email', 'ada@example.com')
  await answerOf(env, 'webhook', 'pause')
  await answerOf(env, 'webhook', 'resume')
  await answerOf(env, 'backup', '--to', join(emptyDir(), 'backup'))
  const { data } = await answerOf<{ data: Entry[] }>(env, 'audit', 'list', '--workspace', chain)
  assert.deepEqual(
    data.map(({ sequence, action, actor_type }) => [sequence, action, actor_type]),
    [
      [5, 'api_key.revoked', 'system'],
      [4, 'api_key.created', 'system'],
      [3, 'api_key.created', 'system'],
      [2, 'member.added', 'system'],
      [1, 'workspace.created', 'system'],
    ],
  )
  assert.deepEqual([data[0]?.subject_id, data[0]?.details], [key.id, { user_id: user }])
  const older = ['audit', 'list', '--workspace', chain, '--before', '4', '--limit', '2']
  const page = await answerOf<{ data: Entry[] }>(env, ...older)
  assert.deepEqual(
    page.data.map(({ sequence }) => sequence),
    [3, 2],
  )
  const installation = await answerOf<{ data: Entry[] }>(env, 'audit', 'list')
  assert.deepEqual(
    installation.data.map(({ action }) => action),
    ['backup.started', 'sending.resumed', 'sending.paused', 'password.changed'],
  )
  for (const command of ['list', 'verify']) {
    const none = await docket(env, 'audit', command, '--workspace', 'wsp_none')
    assert.deepEqual([none.code, JSON.parse(none.stderr).error.code], [1, 'not_found'])
  }
})

test('a log that is whole is told with its ends, which can be compared later', async () => {
  const { code, told } = await verified()
  assert.equal(code, 0)
  assert.deepEqual(
    told.map(({ chain }) => chain),
    ['installation', chain, undefined],
  )
  assert.deepEqual(told.at(-1), { verified: true, chains: 2, entries: 9, faults: 0 })
  const { head } = told[1]
  assert.match(head, new RegExp(`^${chain}:5:[0-9a-f]{64}$`))
  const same = await verified('--workspace', chain, '--head', head)
  assert.deepEqual([same.code, same.told.length], [0, 2])
  const other = `${head.slice(0, -1)}${head.endsWith('0') ? '1' : '0'}`
  const wrong = await verified('--head', head, '--head', other)
  assert.equal(wrong.code, 1)
  assert.equal(wrong.told[1].fault.fault, 'rewritten')
  const gone = await verified('--head', head.replace(chain, `wsp_${'0'.repeat(26)}`))
  assert.equal(gone.code, 1)
  assert.partialDeepStrictEqual(gone.told[2], { entries: 0, fault: { fault: 'cut', sequence: 1 } })
  const malformed = await docket(env, 'audit', 'verify', '--head', '12:abc')
  assert.deepEqual(
    [malformed.code, JSON.parse(malformed.stderr).error.code],
    [1, 'validation_failed'],
  )
})

test('the first entry that is wrong is named, and the exit code says so', async () => {
  tamper(
    `update audit_entries set actor_id = 'usr_x' where workspace_id = '${chain}' and sequence = 3`,
  )
  const { code, told } = await verified('--workspace', chain)
  assert.equal(code, 1)
  assert.deepEqual([told[0].fault.fault, told[0].fault.sequence], ['changed', 3])
  assert.deepEqual(told.at(-1), { verified: false, chains: 1, entries: 3, faults: 1 })
  const asText = await docket(env, 'audit', 'verify')
  assert.equal(asText.code, 1)
  assert.match(asText.stdout, new RegExp(`^${chain}: Entry 3 is not what was written`, 'm'))
  assert.match(asText.stdout, /^installation:4:[0-9a-f]{64}$/m)
  tamper('delete from audit_heads')
  assert.deepEqual((await verified()).told.at(-1), {
    ...{ verified: false, chains: 2, entries: 0, faults: 2 },
  })
})
