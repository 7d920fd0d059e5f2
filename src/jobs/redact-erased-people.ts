import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import type { Storage, WriteTx } from '#core/transaction.ts'
import * as store from '#db/retention/person-erasure.ts'
import {
  deletedCommentsOfAuthor,
  deleteReplies,
  purgeDeletedComments,
  repliesOfUser,
} from '#db/retention/purge.ts'
import { anonymizePayload, REMOVED_NAME } from '#lib/anonymize.ts'
import { MAX_STEP_BYTES, takeSized } from '#lib/batches.ts'

/** The progress of a redaction; `sealed` holds the encrypted name and address to redact. */
interface RedactionProgress {
  sealed: string
  workspace_id?: string
  stage?: keyof typeof STAGES
  after?: string
}

interface ErasedPerson {
  id: string
  name: string
  email: string
}

/** Returns where the next step of the stage starts, or undefined when the stage is done. */
type RedactionStage = (
  tx: WriteTx,
  person: ErasedPerson,
  after: string,
) => Promise<string | undefined>

/** An event has 2 kB usually, 1 MiB at most. */
const MAX_EVENTS = 100
const MAX_ROWS = 500
const MAX_TASKS = 50

/**
 * Redacts the names of erased people in the data of their former workspaces: some rows at each
 * step, together with its progress. After a crash it continues from there.
 */
export const redactErasedPeople = (storage: Storage) => async (): Promise<boolean> => {
  const next = await storage.read(ANONYMOUS_ACTOR, (tx) => tx.one(store.nextErasure, {}))
  if (!next) return false
  const { id } = next
  const progress = JSON.parse(next.value) as RedactionProgress
  const workspaces = await storage.read(ANONYMOUS_ACTOR, (tx) =>
    tx.all(store.workspacesEverJoined, { user_id: id }),
  )
  const workspace = workspaces.find((one) => one.id >= (progress.workspace_id ?? ''))
  const name = store.erasureMarkName(id)
  if (!workspace) {
    await storage.write(ANONYMOUS_ACTOR, (tx) => tx.run(store.endErasure, { name }))
    return true
  }
  // A workspace deleted meanwhile leaves nothing to continue with.
  const isSame = workspace.id === progress.workspace_id
  const stage = (isSame && progress.stage) || 'others'
  // It was encrypted outside any workspace: it can be decrypted only there.
  const decrypted = await storage.write(ANONYMOUS_ACTOR, async (tx) => tx.decrypt(progress.sealed))
  const person = { id, ...(JSON.parse(decrypted) as Omit<ErasedPerson, 'id'>) }
  await storage.write({ ...ANONYMOUS_ACTOR, workspace_id: workspace.id }, async (tx) => {
    const after = await STAGES[stage](tx, person, (isSame && progress.after) || '')
    const value: RedactionProgress =
      after === undefined
        ? { sealed: progress.sealed, ...nextPosition(workspace.id, stage) }
        : { sealed: progress.sealed, workspace_id: workspace.id, stage, after }
    await tx.run(store.saveErasureProgress, { name, value: JSON.stringify(value) })
  })
  return true
}

/** The next stage, or the position behind this workspace: ids are compared as text. */
function nextPosition(
  workspace_id: string,
  stage: keyof typeof STAGES,
): Omit<RedactionProgress, 'sealed'> {
  const order = Object.keys(STAGES) as (keyof typeof STAGES)[]
  const next = order[order.indexOf(stage) + 1]
  return next ? { workspace_id, stage: next } : { workspace_id: `${workspace_id}~` }
}

/** In this order: a copy of a name is redacted after the data that it is copied from. */
const STAGES = {
  async others(tx, { id, name, email }) {
    const replies = await tx.all(repliesOfUser, { user_id: id, limit: MAX_ROWS })
    await deleteReplies(tx, takeSized(replies, MAX_STEP_BYTES))
    if (replies.length > 0) return 'replies'
    const comments = await tx.all(deletedCommentsOfAuthor, { author_id: id, limit: MAX_ROWS })
    await purgeDeletedComments(tx, comments)
    if (comments.length > 0) return 'comments'
    await tx.run(store.deleteInvitationsToEmail, { email })
    for (const remove of store.deletePersonalRows) await tx.run(remove, { user_id: id })
    await tx.run(store.renameInRequestCounts, { from: name, to: REMOVED_NAME })
    return undefined
  },
  async events(tx, { id }, after) {
    const { first, last } = (await tx.one(store.eventLogRange, {})) ?? { first: null, last: null }
    if (first === null || last === null) return undefined
    const from = Math.max(Number(after || 0), first - 1)
    const sizes = await tx.all(store.eventSizes, { after: from, to: from + MAX_EVENTS })
    const to = takeSized(sizes, MAX_STEP_BYTES).at(-1)?.sequence ?? from + MAX_EVENTS
    const events = await tx.all(store.eventsMentioningUser, { after: from, to, user_id: id })
    for (const { sequence, payload } of events) {
      const redacted = anonymizePayload(payload, id)
      if (redacted === payload) continue
      await tx.run(store.replaceEventPayload, { sequence, payload: redacted })
    }
    return to >= last ? undefined : String(to)
  },
  async deliveries(tx, { id }, after) {
    const deliveries = await tx.all(store.deliveryPayloadsAfter, { after, limit: MAX_ROWS })
    for (const { id: delivery, payload } of deliveries) {
      const redacted = payload === null ? null : anonymizePayload(payload, id)
      if (redacted !== null && redacted !== payload) {
        await tx.run(store.replaceDeliveryPayload, { id: delivery, payload: redacted })
      }
    }
    return deliveries.length < MAX_ROWS ? undefined : deliveries.at(-1)?.id
  },
  async attempts(tx, { name, email }, after) {
    const [delivery = '', number = '0'] = after.split(' ')
    const where = { after: delivery, after_number: Number(number), limit: MAX_ROWS }
    const attempts = await tx.all(store.attemptResponsesAfter, where)
    for (const { response_body, ...attempt } of attempts) {
      // The receiver echoes the request in its response.
      const echoes = response_body?.includes(name) || response_body?.includes(email)
      if (echoes) await tx.run(store.clearAttemptResponse, attempt)
    }
    const last = attempts.at(-1)
    return attempts.length < MAX_ROWS || !last ? undefined : `${last.delivery_id} ${last.number}`
  },
  async activity(tx, { id }, after) {
    const tasks = await tx.all(store.taskIdsAfter, { after, limit: MAX_TASKS })
    const last = tasks.at(-1)
    if (last) await tx.run(store.clearCredentialNames, { user_id: id, after, to: last.id })
    return tasks.length < MAX_TASKS ? undefined : last?.id
  },
} satisfies Record<string, RedactionStage>
