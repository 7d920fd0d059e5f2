import { createUserActor } from '#core/actor.ts'
import { parsePageRequest } from '#core/page-request.ts'
import type { WriteTx } from '#core/transaction.ts'
import { query, type Scoped } from '#db/core/statement.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import type { Json } from '#lib/json.ts'
import {
  loadDelivery,
  queueReplay,
  queueTestDelivery,
  requeueDelivery,
} from '#resources/deliveries/operations.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import { create, remove, update } from '#resources/webhooks/operations.ts'
import type { TestWorkspace } from '../support/world/test-workspace.ts'
import {
  type SimulatedProcess,
  type SimulationContext,
  startSimulatedProcess,
} from './simulated-process.ts'

/** What random actions change. */
export interface SimulatedInstallation {
  ground: SimulationContext
  homes: readonly Pick<TestWorkspace, 'workspace' | 'people'>[]
  nodes: SimulatedProcess[]
}

/** A webhook secret that fails to decrypt. */
export const UNREADABLE_SECRET = 'a secret that nobody can read'

/** The input of an operation that reads none. */
const EMPTY_INPUT = {
  params: undefined,
  query: undefined,
  body: undefined,
  page: parsePageRequest('', '', {}, ''),
}
const SUBJECT_IDS = ['a', 'b', 'c']
const EVENT_TYPES = ['task.created', 'task.updated', 'task.completed'] as const

/** Does something at random that a person, an operator or a machine may do. */
export async function runRandomAction(world: SimulatedInstallation): Promise<void> {
  const { ground, nodes } = world
  const { random } = ground
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]
  const up = pick(nodes.filter(({ state }) => state === 'up'))
  const isEmbedded = ground.engine === 'sqlite'
  const percent = random() * 100
  if (percent < 60) return emitEvents(world)
  if (percent < 72) return changeWebhook(world)
  if (percent < 80) return resend(world)
  if (percent < 88) {
    up?.kill()
    // The only process on an embedded database is started again; on PostgreSQL others may run.
    if (isEmbedded || random() < 0.5) nodes.push(startSimulatedProcess(ground))
  } else if (percent < 92) {
    if (!isEmbedded || up === undefined) nodes.push(startSimulatedProcess(ground))
  } else if (percent < 97) {
    if (!isEmbedded) up?.freeze()
  } else {
    void up?.stop()
    if (isEmbedded) nodes.push(startSimulatedProcess(ground))
  }
  if (random() < 0.3) pick(nodes.filter(({ state }) => state === 'frozen'))?.thaw()
}

/** Creates a webhook in a random workspace. Some have a secret that cannot be decrypted. */
export async function addRandomWebhook(world: SimulatedInstallation): Promise<void> {
  const { random } = world.ground
  const secret = random() < 0.1 ? UNREADABLE_SECRET : 'a secret of the simulation'
  const events = random() < 0.7 ? (['*'] as const) : (['task.updated'] as const)
  const body = { url: 'http://127.0.0.1:9/hook', events: [...events], secret }
  await write(world, (tx) => create(tx, undefined, { ...EMPTY_INPUT, body }))
}

async function emitEvents(world: SimulatedInstallation): Promise<void> {
  const { random } = world.ground
  await write(world, async (tx) => {
    for (let remaining = 1 + Math.floor(random() * 4); remaining > 0; remaining--) {
      const subject_id = SUBJECT_IDS[Math.floor(random() * SUBJECT_IDS.length)] ?? ''
      const kind = EVENT_TYPES[Math.floor(random() * EVENT_TYPES.length)] ?? 'task.updated'
      tx.emit(kind, '{}' as Json<object>, { subject_id, project_id: null })
    }
  })
}

/** Disables, enables or deletes a webhook, or creates another one. */
async function changeWebhook(world: SimulatedInstallation): Promise<void> {
  const fate = world.ground.random()
  if (fate < 0.1) return addRandomWebhook(world)
  await withWebhook(world, async (tx, webhook) => {
    const params = { id: webhook.id }
    const body = { is_active: webhook.is_active === 0 }
    if (fate < 0.2) await remove(tx, webhook, { ...EMPTY_INPUT, params })
    else await update(tx, webhook, { ...EMPTY_INPUT, params, body })
  })
}

/** Sends a test, a redelivery, or a replay of the whole event log. */
async function resend(world: SimulatedInstallation): Promise<void> {
  const fate = world.ground.random()
  await withWebhook(world, async (tx, webhook) => {
    if (webhook.is_active === 0) return
    const params = { id: webhook.id }
    if (fate < 0.3) return queueTestDelivery(tx, webhook, { ...EMPTY_INPUT, params, body: {} })
    if (fate < 0.6) {
      if ((await readEventLogBounds(tx)).newest === 0) return
      return queueReplay(tx, webhook, { ...EMPTY_INPUT, params, body: { from_sequence: 1 } })
    }
    const delivery = await tx.one(anyDelivery, { webhook_id: webhook.id })
    if (!delivery) return
    const loaded = await loadDelivery(tx, delivery.id)
    return requeueDelivery(tx, loaded, { ...EMPTY_INPUT, params: { id: delivery.id }, body: {} })
  })
}

type SimulatedWebhook = Awaited<ReturnType<typeof loadWebhook>>

function withWebhook(
  world: SimulatedInstallation,
  work: (tx: WriteTx, webhook: SimulatedWebhook) => Promise<unknown>,
) {
  const chance = world.ground.random()
  return write(world, async (tx) => {
    const all = await tx.all(webhookIds, {})
    const chosen = all[Math.floor(chance * all.length)]
    if (chosen) await work(tx, await loadWebhook(tx, chosen.id))
  })
}

async function write(
  { ground, homes }: SimulatedInstallation,
  work: (tx: WriteTx) => Promise<unknown>,
) {
  const team = homes[Math.floor(ground.random() * homes.length)]
  if (!team) return
  const owner = createUserActor(team.people.owner, team.workspace)
  await ground.storage.write({ ...owner, role: 'owner' }, work)
}

const webhookIds = query((db) => db.selectFrom('webhooks').select('id').orderBy('id'))

const anyDelivery = query((db, $: Scoped<{ webhook_id: string }>) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('webhook_id', '=', $.webhook_id)
    .orderBy('id')
    .limit(1),
)
