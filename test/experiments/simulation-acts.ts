import { NOBODY } from '#core/actor.ts'
import { openPage } from '#core/page.ts'
import type { WriteTx } from '#core/tx.ts'
import type { Json } from '#lib/json.ts'
import { loadDelivery } from '#resources/deliveries/load.ts'
import { again, replay, test } from '#resources/deliveries/operations.ts'
import { loadWebhook } from '#resources/webhooks/load.ts'
import { create, remove, update } from '#resources/webhooks/operations.ts'
import { query, type Scoped } from '#storage/statement.ts'
import type { Home } from '../support/home.ts'
import { type Ground, type SimulatedNode, startNode } from './simulation-node.ts'

/** What acts change. */
export interface World {
  ground: Ground
  homes: readonly Pick<Home, 'workspace' | 'people'>[]
  nodes: SimulatedNode[]
}

/** Makes a secret that cannot be opened again. */
export const POISON = 'a secret that nobody can read'

/** What an operation is handed that needs nothing. */
const bare = {
  params: undefined,
  query: undefined,
  body: undefined,
  page: openPage('', '', {}, ''),
}
const SUBJECTS = ['a', 'b', 'c']
const KINDS = ['task.created', 'task.updated', 'task.completed'] as const

/** Does one thing that people, operators or machines may do, or several, as chance has it. */
export async function act(world: World): Promise<void> {
  const { ground, nodes } = world
  const { random } = ground
  const among = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]
  const up = among(nodes.filter(({ state }) => state === 'up'))
  const alone = ground.engine === 'sqlite'
  const part = random() * 100
  if (part < 60) return emit(world)
  if (part < 72) return change(world)
  if (part < 80) return sendAgain(world)
  if (part < 88) {
    up?.kill()
    // What serves an embedded database is started again; elsewhere others may be there.
    if (alone || random() < 0.5) nodes.push(startNode(ground))
  } else if (part < 92) {
    if (!alone || up === undefined) nodes.push(startNode(ground))
  } else if (part < 97) {
    if (!alone) up?.freeze()
  } else {
    void up?.stop()
    if (alone) nodes.push(startNode(ground))
  }
  if (random() < 0.3) among(nodes.filter(({ state }) => state === 'frozen'))?.thaw()
}

/** A webhook for a workspace; one of some cannot be sent to. */
export async function addWebhook(world: World): Promise<void> {
  const { random } = world.ground
  const secret = random() < 0.1 ? POISON : 'a secret of the simulation'
  const events = random() < 0.7 ? (['*'] as const) : (['task.updated'] as const)
  const body = { url: 'http://127.0.0.1:9/hook', events: [...events], secret }
  await write(world, (tx) => create(tx, undefined, { ...bare, body }))
}

async function emit(world: World): Promise<void> {
  const { random } = world.ground
  await write(world, async (tx) => {
    for (let left = 1 + Math.floor(random() * 4); left > 0; left--) {
      const subject_id = SUBJECTS[Math.floor(random() * SUBJECTS.length)] ?? ''
      const kind = KINDS[Math.floor(random() * KINDS.length)] ?? 'task.updated'
      tx.emit(kind, '{}' as Json<object>, { subject_id, project_id: null })
    }
  })
}

/** Disables a webhook, enables it, deletes it, or makes another. */
async function change(world: World): Promise<void> {
  const fate = world.ground.random()
  if (fate < 0.1) return addWebhook(world)
  await withWebhook(world, async (tx, webhook) => {
    const params = { id: webhook.id }
    const body = { is_active: webhook.is_active === 0 }
    if (fate < 0.2) await remove(tx, webhook, { ...bare, params })
    else await update(tx, webhook, { ...bare, params, body })
  })
}

/** A test, a redelivery, or a replay of all that the log has. */
async function sendAgain(world: World): Promise<void> {
  const fate = world.ground.random()
  await withWebhook(world, async (tx, webhook) => {
    if (webhook.is_active === 0) return
    const params = { id: webhook.id }
    if (fate < 0.3) return test(tx, webhook, { ...bare, params, body: {} })
    if (fate < 0.6) return replay(tx, webhook, { ...bare, params, body: { from_sequence: 1 } })
    const delivery = await tx.one(anyDelivery, { webhook_id: webhook.id })
    if (!delivery) return
    const found = await loadDelivery(tx, delivery.id)
    return again(tx, found, { ...bare, params: { id: delivery.id }, body: {} })
  })
}

type FoundWebhook = Awaited<ReturnType<typeof loadWebhook>>

function withWebhook(world: World, work: (tx: WriteTx, webhook: FoundWebhook) => Promise<unknown>) {
  const chance = world.ground.random()
  return write(world, async (tx) => {
    const all = await tx.all(webhookIds, {})
    const found = all[Math.floor(chance * all.length)]
    if (found) await work(tx, await loadWebhook(tx, found.id))
  })
}

async function write({ ground, homes }: World, work: (tx: WriteTx) => Promise<unknown>) {
  const home = homes[Math.floor(ground.random() * homes.length)]
  if (!home) return
  const by = { role: 'owner', user_id: home.people.owner, workspace_id: home.workspace } as const
  await ground.storage.write({ ...NOBODY, ...by }, work)
}

const webhookIds = query((db, $: Scoped) =>
  db.selectFrom('webhooks').select('id').where('workspace_id', '=', $.workspace_id).orderBy('id'),
)

const anyDelivery = query((db, $: Scoped<{ webhook_id: string }>) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('workspace_id', '=', $.workspace_id)
    .where('webhook_id', '=', $.webhook_id)
    .orderBy('id')
    .limit(1),
)
