import { NOBODY } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/tx.ts'
import { blanked, REMOVED_NAME } from '#lib/blank.ts'
import * as store from '#storage/erasure.ts'

/** How far it has come; `sealed` is the name and the address that are looked for. */
interface Mark {
  sealed: string
  workspace_id?: string
  stage?: keyof typeof STAGES
  after?: string
}

interface Person {
  id: string
  name: string
  email: string
}

/** Where the next step of a stage begins; undefined: the stage is done. */
type Stage = (tx: WriteTx, person: Person, after: string) => Promise<string | undefined>

/** An event has 2 kB as a rule, 1 MiB at the most. */
const EVENTS_AT_ONCE = 100
const ROWS_AT_ONCE = 500
const TASKS_AT_ONCE = 50

/**
 * Takes the names of persons who were erased out of what is stored in the workspaces of which they were
 * members: some rows at each step, each with the mark of how far it has come. After a crash it goes on there.
 */
export const blankErased = (storage: Storage) => async (): Promise<boolean> => {
  const next = await storage.read(NOBODY, (tx) => tx.one(store.nextErasure, {}))
  if (!next) return false
  const { id } = next
  const mark = JSON.parse(next.value) as Mark
  const ever = await storage.read(NOBODY, (tx) => tx.all(store.workspacesEver, { user_id: id }))
  const found = ever.find((one) => one.id >= (mark.workspace_id ?? ''))
  const name = store.markOf(id)
  if (!found) {
    await storage.write(NOBODY, (tx) => tx.run(store.endErasure, { name }))
    return true
  }
  // One that is gone meanwhile has left nothing to go on with.
  const isSame = found.id === mark.workspace_id
  const stage = (isSame && mark.stage) || 'others'
  // It was sealed where no workspace is: only there it can be opened.
  const opened = await storage.write(NOBODY, async (tx) => tx.unseal(mark.sealed))
  const person = { id, ...(JSON.parse(opened) as Omit<Person, 'id'>) }
  await storage.write({ ...NOBODY, workspace_id: found.id }, async (tx) => {
    const after = await STAGES[stage](tx, person, (isSame && mark.after) || '')
    const value: Mark =
      after === undefined
        ? { sealed: mark.sealed, ...followed(found.id, stage) }
        : { sealed: mark.sealed, workspace_id: found.id, stage, after }
    await tx.run(store.noteErasure, { name, value: JSON.stringify(value) })
  })
  return true
}

/** The stage behind one, or the next workspace: ids are compared as texts. */
function followed(workspace_id: string, stage: keyof typeof STAGES): Omit<Mark, 'sealed'> {
  const order = Object.keys(STAGES) as (keyof typeof STAGES)[]
  const next = order[order.indexOf(stage) + 1]
  return next ? { workspace_id, stage: next } : { workspace_id: `${workspace_id}~` }
}

/** In this order: what could bring a name back is behind what it came from. */
const STAGES = {
  async others(tx, { id, name, email }) {
    await tx.run(store.removeRepliesOf, { user_id: id })
    await tx.run(store.removeInvitationsTo, { email })
    for (const remove of store.removeOwn) await tx.run(remove, { user_id: id })
    await tx.run(store.blankCounts, { from: name, to: REMOVED_NAME })
    return undefined
  },
  async events(tx, { id }, after) {
    const { first, last } = (await tx.one(store.endsOfLog, {})) ?? { first: null, last: null }
    if (first === null || last === null) return undefined
    const from = Math.max(Number(after || 0), first - 1)
    const to = from + EVENTS_AT_ONCE
    const found = await tx.all(store.eventsNaming, { after: from, to, user_id: id })
    for (const { sequence, payload } of found) {
      const blank = blanked(payload, id)
      if (blank !== payload) await tx.run(store.putPayload, { sequence, payload: blank })
    }
    return to >= last ? undefined : String(to)
  },
  async deliveries(tx, { id }, after) {
    const found = await tx.all(store.deliveriesAfter, { after, limit: ROWS_AT_ONCE })
    for (const { id: delivery, payload } of found) {
      const blank = payload === null ? null : blanked(payload, id)
      if (blank !== null && blank !== payload) {
        await tx.run(store.putTestPayload, { id: delivery, payload: blank })
      }
    }
    return found.length < ROWS_AT_ONCE ? undefined : found.at(-1)?.id
  },
  async attempts(tx, { name, email }, after) {
    const [delivery = '', number = '0'] = after.split(' ')
    const where = { after: delivery, after_number: Number(number), limit: ROWS_AT_ONCE }
    const found = await tx.all(store.attemptsAfter, where)
    for (const { response_body, ...attempt } of found) {
      // A receiver that answers with what it was sent.
      const echoes = response_body?.includes(name) || response_body?.includes(email)
      if (echoes) await tx.run(store.blankAnswer, attempt)
    }
    const last = found.at(-1)
    return found.length < ROWS_AT_ONCE || !last ? undefined : `${last.delivery_id} ${last.number}`
  },
  async activity(tx, { id }, after) {
    const tasks = await tx.all(store.tasksAfter, { after, limit: TASKS_AT_ONCE })
    const last = tasks.at(-1)
    if (last) await tx.run(store.blankKeyNames, { user_id: id, after, to: last.id })
    return tasks.length < TASKS_AT_ONCE ? undefined : last?.id
  },
} satisfies Record<string, Stage>
