import type { FastifyInstance } from 'fastify'
import { createApiKey } from '#auth/keys/api-keys.ts'
import { ensureAccount, NO_PASSWORD } from '#auth/users/accounts.ts'
import { createWorkspace } from '#auth/workspaces/workspaces.ts'
import { parseConfig } from '#config/config.ts'
import { type Actor, ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import { openStore } from '#db/installation/open-store.ts'
import { createEncryptor } from '#db/installation/sealed-values.ts'
import { EXAMPLE_BASE_URL } from '#http/openapi/recorded-examples.ts'
import { openLog } from '#http/server/log.ts'
import { newId } from '#lib/id.ts'
import {
  addMember,
  changeRole,
  createMembership,
  removeMember,
} from '#resources/members/membership.ts'
import { addProject } from '#resources/projects/create-project.ts'
import { changeProject, type ProjectChanges } from '#resources/projects/write-operations.ts'
import { createApp } from '#server/app.ts'
import { startDispatcher } from '#webhooks/dispatcher.ts'
import { DELIVERY_RULES } from '#webhooks/results.ts'
import type { Role } from '#wire/rights.ts'
import { SCOPES } from '#wire/scopes.ts'
import { createMemoryTempDir } from '../system/temp-dir.ts'
import { createTestClock, type TestClock } from '../system/test-clock.ts'
import { TEST_SECRET } from '../system/test-secret.ts'

/** The workspace that the examples show, in a Docket of its own. */
export interface ExampleWorkspace {
  server: FastifyInstance
  clock: TestClock
  /** The ids of Ada Lovelace, an owner, and Grace Hopper, a member. */
  people: Record<'ada' | 'grace', string>
  /** Their API keys. */
  keys: Record<'ada' | 'grace', string>
  /** The id of the project Engineering. */
  project: string
  /** Changes the project as Ada Lovelace in the web app. */
  changeProject(changes: ProjectChanges): Promise<unknown>
  /** Makes Charles Babbage, a guest, a member in the web app. */
  promoteCharles(): Promise<unknown>
  /** Removes Charles Babbage in the web app. */
  removeCharles(): Promise<unknown>
  close(): Promise<void>
}

/** A Monday, at nine o'clock in Zurich. */
const START = Date.parse('2027-03-01T08:00:00.000Z')
const RECEIVER_MS = 84
const HOUR_MS = 3_600_000
const timezone = 'Europe/Zurich'

/** Opens it with a database in memory. Webhooks are sent to a receiver that accepts everything. */
export async function openExampleWorkspace(): Promise<ExampleWorkspace> {
  const clock = createTestClock()
  clock.set(START)
  const config = parseConfig({
    DOCKET_DATA_DIR: createMemoryTempDir(),
    DOCKET_SECRET: TEST_SECRET,
    DOCKET_BASE_URL: EXAMPLE_BASE_URL,
  })
  const log = openLog('silent')
  const { storage } = await openStore({ ...config, guard: true, clock })
  const { server, appContext } = await createApp(storage, config, TEST_SECRET, log, undefined, {
    sheds: false,
  })
  const dispatcher = await startDispatcher({
    storage,
    log,
    rules: DELIVERY_RULES,
    load: appContext.load,
    decrypt: createEncryptor(TEST_SECRET).decrypt,
    observer: { onAttempt() {}, onDisabled() {} },
    async send() {
      clock.advance(RECEIVER_MS)
      const accepted = { status: 204, body: '', error: null, retry_after: null }
      return { ...accepted, duration_ms: RECEIVER_MS }
    },
  })
  const records = await createRecords(storage, clock)
  const owner = { ...createUserActor(records.people.ada, records.workspace), name: 'Ada Lovelace' }
  const actor: Actor = { ...owner, role: 'owner', timezone, workspace_timezone: timezone }
  const write = (work: (tx: WriteTx) => Promise<unknown>) => {
    clock.advance(HOUR_MS)
    return storage.write(actor, work)
  }
  return {
    server,
    clock,
    ...records,
    changeProject: (changes) => write((tx) => changeProject(tx, records.project, changes)),
    promoteCharles: () =>
      write((tx) => changeRole(tx, { id: records.people.charles, role: 'guest' }, 'member')),
    removeCharles: () => write((tx) => removeMember(tx, records.people.charles)),
    async close() {
      await dispatcher.stop()
      await server.close()
      await storage.close()
    },
  }
}

async function createRecords(storage: Storage, clock: TestClock) {
  const workspace = newId('wsp', clock.now())
  const system: Actor = { ...ANONYMOUS_ACTOR, role: 'owner', workspace_id: workspace }
  const write = <T>(work: (tx: WriteTx) => Promise<T>): Promise<T> => {
    clock.advance(HOUR_MS)
    return storage.write(system, work)
  }
  const createAccount = (tx: WriteTx, name: string) => {
    const email = `${name.split(' ')[0]?.toLowerCase()}@example.com`
    return ensureAccount(tx, { email, name, timezone }, NO_PASSWORD)
  }
  const addPerson = (name: string, role: Role) =>
    write(async (tx) => {
      const { user_id } = await createAccount(tx, name)
      await addMember(tx, { user_id, name, role })
      return user_id
    })
  const ada = await write(async (tx) => {
    await createWorkspace(tx, { name: 'Acme', plan: 'paid', timezone })
    const { user_id, name } = await createAccount(tx, 'Ada Lovelace')
    await createMembership(tx, { user_id, name, role: 'owner' })
    return user_id
  })
  const grace = await addPerson('Grace Hopper', 'member')
  const charles = await addPerson('Charles Babbage', 'guest')
  const { id: project } = await write((tx) =>
    addProject(tx, {
      name: 'Engineering',
      prefix: 'ENG',
      description: 'The product, its API and its documentation.',
      color: '#2563eb',
      icon: '🚀',
      lead_id: ada,
      target_date: '2027-06-30',
      created_by_id: ada,
    }),
  )
  const createKey = async (user_id: string, name: string) => {
    const key = { user_id, name, scopes: SCOPES, expires_at: null }
    return (await write((tx) => createApiKey(tx, key))).api_key
  }
  const keys = {
    ada: await createKey(ada, 'Launch script'),
    grace: await createKey(grace, 'Editor plugin'),
  }
  return { workspace, people: { ada, grace, charles }, keys, project }
}
