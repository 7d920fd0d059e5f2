import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { NOBODY } from '#core/actor.ts'
import type { Storage } from '#core/tx.ts'
import { hashOfEntry } from '#storage/audit-chain.ts'
import { entriesAfter, headAtHand } from '#storage/audit-log.ts'
import { type Place, verifyChain } from '#storage/audit-verify.ts'
import { openPostgres } from '#storage/postgres.ts'
import { openSqlite } from '#storage/sqlite.ts'
import type { AuditEntryRow } from '#storage/tables.ts'
import {
  CHAIN,
  grow,
  setEntry,
  type Tamper,
  tamperingPostgres,
  tamperingSqlite,
} from '../support/chain.ts'
import { emptyDir } from '../support/dir.ts'
import { closing, emptyDatabase, surroundings } from '../support/store.ts'

const ENTRIES = 10_000
const MIDDLE = 6_789
const WHERE = `where workspace_id = '${CHAIN}' and sequence`

interface Place36 {
  storage: Storage
  tamper: Tamper
}

async function sqlite(): Promise<Place36> {
  const path = join(emptyDir(), 'docket.db')
  const storage = closing(openSqlite({ path, ...surroundings }))
  return { storage, tamper: tamperingSqlite(path) }
}

async function postgres(): Promise<Place36> {
  const { url, admin } = await emptyDatabase()
  const storage = closing(await openPostgres({ url, ...surroundings }))
  return { storage, tamper: tamperingPostgres(admin) }
}

const reading = <T>(storage: Storage, work: Parameters<typeof storage.read<T>>[1]) =>
  storage.read({ ...NOBODY, workspace_id: CHAIN }, work)

const entriesFrom = (storage: Storage, first: number, limit: number): Promise<AuditEntryRow[]> =>
  reading(storage, (tx) => tx.all(entriesAfter, { after: first - 1, limit }))

/** What somebody does to a chain: how, and which entry is the first that is bad by it. */
type Damage = [
  what: string,
  sql: (storage: Storage) => Promise<string> | string,
  bad: [fault: string, sequence: number],
]

const DAMAGES: readonly Damage[] = [
  [
    'an entry is changed',
    () => `update audit_entries set details = '{"user_id":"usr_x"}' ${WHERE} = ${MIDDLE}`,
    ['changed', MIDDLE],
  ],
  [
    'a bit of a hash is flipped',
    () =>
      `update audit_entries set hash = case when substr(hash, 1, 1) = '0' then '1' else '0' end
       || substr(hash, 2) ${WHERE} = ${MIDDLE}`,
    ['changed', MIDDLE],
  ],
  [
    'an entry is dropped',
    () => `delete from audit_entries ${WHERE} = ${MIDDLE}`,
    ['missing', MIDDLE],
  ],
  [
    'an entry is dropped and those behind it move up',
    () =>
      `delete from audit_entries ${WHERE} = ${MIDDLE};
       update audit_entries set sequence = -sequence ${WHERE} > ${MIDDLE};
       update audit_entries set sequence = -sequence - 1 ${WHERE} < 0`,
    ['changed', MIDDLE],
  ],
  ['the first is dropped', () => `delete from audit_entries ${WHERE} = 1`, ['missing', 1]],
  [
    'two entries are swapped',
    () =>
      `update audit_entries set sequence = 0 ${WHERE} = ${MIDDLE};
       update audit_entries set sequence = ${MIDDLE} ${WHERE} = ${MIDDLE + 1};
       update audit_entries set sequence = ${MIDDLE + 1} ${WHERE} = 0`,
    ['changed', MIDDLE],
  ],
  [
    'an entry is put between, and those behind it move down',
    () =>
      `update audit_entries set sequence = -sequence - 1 ${WHERE} >= ${MIDDLE};
       update audit_entries set sequence = -sequence ${WHERE} < 0;
       insert into audit_entries select workspace_id, ${MIDDLE}, at, actor_type, actor_id,
         credential_id, action, subject_id, details, operation_id, hash from audit_entries
         ${WHERE} = 1`,
    ['changed', MIDDLE],
  ],
  [
    'an entry is put behind the end',
    () =>
      `insert into audit_entries select workspace_id, ${ENTRIES + 1}, at, actor_type, actor_id,
         credential_id, action, subject_id, details, operation_id, hash from audit_entries
         ${WHERE} = 1`,
    ['added', ENTRIES + 1],
  ],
  ['the tail is cut', () => `delete from audit_entries ${WHERE} > ${MIDDLE}`, ['cut', MIDDLE + 1]],
  ['all is gone', () => `delete from audit_entries`, ['cut', 1]],
  ['the end is forgotten', () => `delete from audit_heads`, ['added', 1]],
  [
    'an entry is changed and hashed anew',
    async (storage) => setEntry(await forged(storage, hashOfEntry)),
    ['changed', MIDDLE + 1],
  ],
]

/** An entry with another person in it, and the hash that goes with it. */
async function forged(storage: Storage, hash: typeof hashOfEntry): Promise<AuditEntryRow> {
  const [before, entry] = await entriesFrom(storage, MIDDLE - 1, 2)
  if (!before || !entry) throw new Error('There is nothing to forge')
  const other = { ...entry, actor_id: 'usr_somebody_else' }
  return { ...other, hash: hash(before.hash, other) }
}

for (const [engine, open] of [
  ['sqlite', sqlite],
  ['postgres', postgres],
] as const) {
  test(`of a chain of 10,000 entries the first bad one is named (${engine})`, async () => {
    const { storage, tamper } = await open()
    await grow(storage, ENTRIES)
    const whole = await verifyChain(storage, CHAIN)
    assert.partialDeepStrictEqual(whole, { entries: ENTRIES, fault: null } as object)
    assert.equal(whole.head?.sequence, ENTRIES)
    const found: Record<string, unknown> = {}
    await tamper('create table kept_entries as select * from audit_entries')
    await tamper('create table kept_heads as select * from audit_heads')
    for (const [what, sql] of DAMAGES) {
      await tamper(await sql(storage))
      const { fault } = await verifyChain(storage, CHAIN)
      found[what] = fault && [fault.fault, fault.sequence]
      await tamper(`delete from audit_entries; delete from audit_heads;
        insert into audit_entries select * from kept_entries;
        insert into audit_heads select * from kept_heads`)
    }
    assert.deepEqual(found, Object.fromEntries(DAMAGES.map(([what, , bad]) => [what, bad])))
    assert.equal((await verifyChain(storage, CHAIN)).fault, null)
  })
}

test('who writes a chain anew from an entry on, or cuts it with its end, is found by a noted end', async () => {
  const { storage, tamper } = await sqlite()
  await grow(storage, 30)
  const noted = [await headNow(storage)]
  const [last] = await entriesFrom(storage, 29, 1)
  const [lost] = await entriesFrom(storage, 30, 1)
  await tamper(`delete from audit_entries ${WHERE} = 30;
    update audit_heads set sequence = 29, hash = '${last?.hash}'`)
  assert.equal((await verifyChain(storage, CHAIN)).fault, null, 'it hangs together')
  const cut = await verifyChain(storage, CHAIN, { noted })
  assert.partialDeepStrictEqual(cut, { fault: { fault: 'cut', sequence: 30 } } as object)
  await grow(storage, 5)
  assert.equal((await verifyChain(storage, CHAIN)).fault, null)
  const anew = await verifyChain(storage, CHAIN, { noted })
  assert.partialDeepStrictEqual(anew, { fault: { fault: 'rewritten', sequence: 30 } } as object)
  assert.notEqual(lost?.hash, undefined)
})

test('control: hashes that leave out the one before see neither a forged entry nor a dropped one', async () => {
  const { storage, tamper } = await sqlite()
  const alone: typeof hashOfEntry = (_, entry) => hashOfEntry('', { ...entry, sequence: 0 })
  await grow(storage, MIDDLE + 10)
  const entries = await entriesFrom(storage, 1, MIDDLE + 10)
  const anew = entries.map((entry) => setEntry({ ...entry, hash: alone('', entry) }))
  await tamper(`begin; ${anew.join(';')}; commit`)
  const last = (await entriesFrom(storage, MIDDLE + 10, 1))[0]
  await tamper(`update audit_heads set hash = '${last?.hash}'`)
  const verdict = async () => (await verifyChain(storage, CHAIN, { hash: alone })).fault
  assert.equal(await verdict(), null)
  await tamper(setEntry(await forged(storage, alone)))
  assert.equal(await verdict(), null, 'a forged entry')
  await tamper(`update audit_entries set sequence = 0 ${WHERE} = ${MIDDLE};
    update audit_entries set sequence = ${MIDDLE} ${WHERE} = ${MIDDLE + 1};
    update audit_entries set sequence = ${MIDDLE + 1} ${WHERE} = 0`)
  assert.equal(await verdict(), null, 'swapped')
  await tamper(`delete from audit_entries ${WHERE} = ${MIDDLE};
    update audit_entries set sequence = sequence - 1 ${WHERE} > ${MIDDLE};
    update audit_heads set sequence = sequence - 1`)
  assert.equal(await verdict(), null, 'dropped')
})

async function headNow(storage: Storage): Promise<Place> {
  const head = await reading(storage, (tx) => tx.one(headAtHand, {}))
  if (!head) throw new Error('There is no end')
  return head
}
