import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage } from '#core/transaction.ts'
import { auditChainHead, auditEntriesAfter } from '#db/audit/audit-log.ts'
import {
  type AuditChainPosition,
  hashAuditEntry,
  verifyAuditChain,
} from '#db/audit/verify-chain.ts'
import { openPostgres } from '#db/postgres/open-postgres.ts'
import type { AuditEntryRow } from '#db/schema/tables.ts'
import { openSqlite } from '#db/sqlite/open-sqlite.ts'
import {
  appendAuditEntries,
  createPostgresTamper,
  createSqliteTamper,
  type TamperWithDatabase,
  TEST_CHAIN,
  updateEntrySql,
} from '#test/support/data/audit-chain.ts'
import {
  closeAfterFile,
  createEmptyDatabase,
  TEST_STORE_OPTIONS,
} from '#test/support/engines/test-database.ts'
import { createTempDir } from '#test/support/system/temp-dir.ts'

const ENTRIES = 2_000
const TAMPERED_SEQUENCE = 1_234
const WHERE = `where workspace_id = '${TEST_CHAIN}' and sequence`

interface TamperedStore {
  storage: Storage
  tamper: TamperWithDatabase
}

async function sqlite(): Promise<TamperedStore> {
  const path = join(createTempDir(), 'docket.db')
  const storage = closeAfterFile(openSqlite({ path, ...TEST_STORE_OPTIONS }))
  return { storage, tamper: createSqliteTamper(path) }
}

async function postgres(): Promise<TamperedStore> {
  const { url, admin } = await createEmptyDatabase()
  const storage = closeAfterFile(await openPostgres({ url, ...TEST_STORE_OPTIONS }))
  return { storage, tamper: createPostgresTamper(admin) }
}

const readChain = <T>(storage: Storage, work: Parameters<typeof storage.read<T>>[1]) =>
  storage.read({ ...ANONYMOUS_ACTOR, workspace_id: TEST_CHAIN }, work)

const entriesFrom = (storage: Storage, first: number, limit: number): Promise<AuditEntryRow[]> =>
  readChain(storage, (tx) => tx.all(auditEntriesAfter, { after: first - 1, limit }))

/** A manipulation of the chain as SQL, and the first entry that it invalidates. */
type ChainDamage = [
  what: string,
  sql: (storage: Storage) => Promise<string> | string,
  bad: [fault: string, sequence: number],
]

const DAMAGES: readonly ChainDamage[] = [
  [
    'an entry is changed',
    () =>
      `update audit_entries set details = '{"user_id":"usr_x"}' ${WHERE} = ${TAMPERED_SEQUENCE}`,
    ['changed', TAMPERED_SEQUENCE],
  ],
  [
    'a bit of a hash is flipped',
    () =>
      `update audit_entries set hash = case when substr(hash, 1, 1) = '0' then '1' else '0' end
       || substr(hash, 2) ${WHERE} = ${TAMPERED_SEQUENCE}`,
    ['changed', TAMPERED_SEQUENCE],
  ],
  [
    'an entry is dropped',
    () => `delete from audit_entries ${WHERE} = ${TAMPERED_SEQUENCE}`,
    ['missing', TAMPERED_SEQUENCE],
  ],
  [
    'an entry is dropped and those behind it move up',
    () =>
      `delete from audit_entries ${WHERE} = ${TAMPERED_SEQUENCE};
       update audit_entries set sequence = -sequence ${WHERE} > ${TAMPERED_SEQUENCE};
       update audit_entries set sequence = -sequence - 1 ${WHERE} < 0`,
    ['changed', TAMPERED_SEQUENCE],
  ],
  ['the first is dropped', () => `delete from audit_entries ${WHERE} = 1`, ['missing', 1]],
  [
    'two entries are swapped',
    () =>
      `update audit_entries set sequence = 0 ${WHERE} = ${TAMPERED_SEQUENCE};
       update audit_entries set sequence = ${TAMPERED_SEQUENCE} ${WHERE} = ${TAMPERED_SEQUENCE + 1};
       update audit_entries set sequence = ${TAMPERED_SEQUENCE + 1} ${WHERE} = 0`,
    ['changed', TAMPERED_SEQUENCE],
  ],
  [
    'an entry is put between, and those behind it move down',
    () =>
      `update audit_entries set sequence = -sequence - 1 ${WHERE} >= ${TAMPERED_SEQUENCE};
       update audit_entries set sequence = -sequence ${WHERE} < 0;
       insert into audit_entries select workspace_id, ${TAMPERED_SEQUENCE}, at, actor_type, actor_id,
         credential_id, action, subject_id, details, operation_id, hash from audit_entries
         ${WHERE} = 1`,
    ['changed', TAMPERED_SEQUENCE],
  ],
  [
    'an entry is put behind the end',
    () =>
      `insert into audit_entries select workspace_id, ${ENTRIES + 1}, at, actor_type, actor_id,
         credential_id, action, subject_id, details, operation_id, hash from audit_entries
         ${WHERE} = 1`,
    ['added', ENTRIES + 1],
  ],
  [
    'the tail is cut',
    () => `delete from audit_entries ${WHERE} > ${TAMPERED_SEQUENCE}`,
    ['cut', TAMPERED_SEQUENCE + 1],
  ],
  ['all is gone', () => `delete from audit_entries`, ['cut', 1]],
  ['the end is forgotten', () => `delete from audit_heads`, ['added', 1]],
  [
    'an entry is changed and hashed anew',
    async (storage) => updateEntrySql(await forgeEntry(storage, hashAuditEntry)),
    ['changed', TAMPERED_SEQUENCE + 1],
  ],
]

/** Returns an entry with another actor and a matching hash. */
async function forgeEntry(storage: Storage, hash: typeof hashAuditEntry): Promise<AuditEntryRow> {
  const [before, entry] = await entriesFrom(storage, TAMPERED_SEQUENCE - 1, 2)
  if (!before || !entry) throw new Error('There is nothing to forge')
  const other = { ...entry, actor_id: 'usr_somebody_else' }
  return { ...other, hash: hash(before.hash, other) }
}

for (const [engine, open] of [
  ['sqlite', sqlite],
  ['postgres', postgres],
] as const) {
  test(`names the first invalid entry of a chain of 10,000 (${engine})`, async () => {
    const { storage, tamper } = await open()
    await appendAuditEntries(storage, ENTRIES)
    const intact = await verifyAuditChain(storage, TEST_CHAIN)
    assert.partialDeepStrictEqual(intact, { entries: ENTRIES, fault: null } as object)
    assert.equal(intact.head?.sequence, ENTRIES)
    const faults: Record<string, unknown> = {}
    await tamper('create table kept_entries as select * from audit_entries')
    await tamper('create table kept_heads as select * from audit_heads')
    for (const [what, sql] of DAMAGES) {
      await tamper(await sql(storage))
      const { fault } = await verifyAuditChain(storage, TEST_CHAIN)
      faults[what] = fault && [fault.fault, fault.sequence]
      await tamper(`delete from audit_entries; delete from audit_heads;
        insert into audit_entries select * from kept_entries;
        insert into audit_heads select * from kept_heads`)
    }
    assert.deepEqual(faults, Object.fromEntries(DAMAGES.map(([what, , bad]) => [what, bad])))
    assert.equal((await verifyAuditChain(storage, TEST_CHAIN)).fault, null)
  })
}

test('a noted chain end reveals a rewritten or cut chain', async () => {
  const { storage, tamper } = await sqlite()
  await appendAuditEntries(storage, 30)
  const noted = [await readHead(storage)]
  const [last] = await entriesFrom(storage, 29, 1)
  const [removed] = await entriesFrom(storage, 30, 1)
  await tamper(`delete from audit_entries ${WHERE} = 30;
    update audit_heads set sequence = 29, hash = '${last?.hash}'`)
  assert.equal((await verifyAuditChain(storage, TEST_CHAIN)).fault, null, 'it hangs together')
  const cut = await verifyAuditChain(storage, TEST_CHAIN, { recorded: noted })
  assert.partialDeepStrictEqual(cut, { fault: { fault: 'cut', sequence: 30 } } as object)
  await appendAuditEntries(storage, 5)
  assert.equal((await verifyAuditChain(storage, TEST_CHAIN)).fault, null)
  const rewritten = await verifyAuditChain(storage, TEST_CHAIN, { recorded: noted })
  assert.partialDeepStrictEqual(rewritten, {
    fault: { fault: 'rewritten', sequence: 30 },
  } as object)
  assert.notEqual(removed?.hash, undefined)
})

test('control: hashes without the previous hash detect neither forged nor dropped entries', async () => {
  const { storage, tamper } = await sqlite()
  const unchainedHash: typeof hashAuditEntry = (_, entry) =>
    hashAuditEntry('', { ...entry, sequence: 0 })
  await appendAuditEntries(storage, TAMPERED_SEQUENCE + 10)
  const entries = await entriesFrom(storage, 1, TAMPERED_SEQUENCE + 10)
  const anew = entries.map((entry) => updateEntrySql({ ...entry, hash: unchainedHash('', entry) }))
  await tamper(`begin; ${anew.join(';')}; commit`)
  const last = (await entriesFrom(storage, TAMPERED_SEQUENCE + 10, 1))[0]
  await tamper(`update audit_heads set hash = '${last?.hash}'`)
  const verifyUnchained = async () =>
    (await verifyAuditChain(storage, TEST_CHAIN, { hash: unchainedHash })).fault
  assert.equal(await verifyUnchained(), null)
  await tamper(updateEntrySql(await forgeEntry(storage, unchainedHash)))
  assert.equal(await verifyUnchained(), null, 'a forged entry')
  await tamper(`update audit_entries set sequence = 0 ${WHERE} = ${TAMPERED_SEQUENCE};
    update audit_entries set sequence = ${TAMPERED_SEQUENCE} ${WHERE} = ${TAMPERED_SEQUENCE + 1};
    update audit_entries set sequence = ${TAMPERED_SEQUENCE + 1} ${WHERE} = 0`)
  assert.equal(await verifyUnchained(), null, 'swapped')
  await tamper(`delete from audit_entries ${WHERE} = ${TAMPERED_SEQUENCE};
    update audit_entries set sequence = sequence - 1 ${WHERE} > ${TAMPERED_SEQUENCE};
    update audit_heads set sequence = sequence - 1`)
  assert.equal(await verifyUnchained(), null, 'dropped')
})

async function readHead(storage: Storage): Promise<AuditChainPosition> {
  const head = await readChain(storage, (tx) => tx.one(auditChainHead, {}))
  if (!head) throw new Error('There is no end')
  return head
}
