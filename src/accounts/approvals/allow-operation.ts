import { actorOfApiKey } from '#auth/keys/api-key-actor.ts'
import { actorOfGrant } from '#auth/oauth/grants.ts'
import { assertSessionActive, assertSessionConfirmed } from '#auth/sessions/session-confirmation.ts'
import { allowForAnHour } from '#auth/supervision.ts'
import { ANONYMOUS_ACTOR, type UserActor } from '#core/actor.ts'
import { ApiError, conflict, insufficientRole, notFound } from '#core/api-error.ts'
import type { PendingOutcome, SentWrite } from '#core/pending-request.ts'
import { sessionAction } from '#core/session-action.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { endNotificationsOfApproval } from '#db/notifications/notify.ts'
import {
  decideOperation,
  type PendingOperation,
  pendingOperationById,
  replacePreview,
  versionOf,
} from '#db/operations/pending-operations.ts'
import { allowApproval, changeApproval } from '#resources/approvals/internal.ts'
import { assertPending, loadApproval, toApproval } from '#resources/approvals/operations.ts'

export const allowOperationAction = sessionAction(
  allowApproval,
  async (deps, { actor, params: { id }, body }) => {
    const { storage } = deps
    const { for_an_hour = false } = body
    const pending = await storage.read(actor, async (tx) => {
      const found = await loadApproval(tx, id)
      assertPending(tx, found)
      return found
    })
    const { version = versionOf(pending) } = body
    if (for_an_hour || deps.grantsLastingAccess(pending.endpoint))
      await assertSessionConfirmed(storage, actor)
    const program = await storage.read(ANONYMOUS_ACTOR, (tx) => loadProgram(tx, pending))
    const outcome = await storage.write(program, async (tx) => {
      await assertSessionActive(tx, actor)
      // Somebody may have decided meanwhile, or changed what it does.
      const current = await tx.one(pendingOperationById, { id })
      if (!current) throw notFound()
      assertPending(tx, current)
      if (versionOf(current) !== version) return undefined
      const result = await deps.runPending(tx, current).catch(rethrowOutdated)
      await recordOutcome(tx, current, result, actor)
      return 'reply' in result ? result.reply : undefined
    })
    if (!outcome) throw changedSince()
    const reply = await storage.write(actor, async (tx) => {
      await assertSessionActive(tx, actor)
      if (for_an_hour) {
        const { grant_id, credential_id } = pending
        if (grant_id === null) await allowForAnHour(tx, 'api_keys', credential_id)
        else await allowForAnHour(tx, 'grants', grant_id)
      }
      return toApproval(tx, await loadApproval(tx, id))
    })
    const { operation_id } = outcome
    return { reply, ...(operation_id !== null && { operation_id }) }
  },
  {
    authorize: async ({ storage }, { actor, params }) => {
      await storage.read(actor, (tx) => loadApproval(tx, params.id))
    },
  },
)

/** Changes the body of a request, and shows what it would do then. */
export const changeOperationAction = sessionAction(
  changeApproval,
  async ({ storage, runPending }, { actor, params: { id }, body: { request_body } }) => {
    const pending = await storage.read(actor, (tx) => loadApproval(tx, id))
    const program = await storage.read(ANONYMOUS_ACTOR, (tx) => loadProgram(tx, pending))
    await storage.write(program, async (tx) => {
      await assertSessionActive(tx, actor)
      const current = await tx.one(pendingOperationById, { id })
      if (!current) throw notFound()
      assertPending(tx, current)
      const sent = JSON.parse(current.request) as SentWrite
      const request = JSON.stringify({ ...sent, body: request_body })
      // No effect has this digest, so nothing is written.
      const changed = { ...current, request, digest: '' }
      await recordOutcome(tx, changed, await runPending(tx, changed), actor)
    })
    return {
      reply: await storage.read(actor, async (tx) => toApproval(tx, await loadApproval(tx, id))),
    }
  },
  {
    authorize: async ({ storage }, { actor, params }) => {
      const { user_id } = await storage.read(actor, (tx) => loadApproval(tx, params.id))
      if (user_id === actor.user_id) return
      throw insufficientRole('Only the owner of the credential can change what it does.')
    },
  },
)

/**
 * The actor that has sent a request, with the rights that it has today and had when it sent it. 409 if its
 * credential has ended or is paused.
 */
async function loadProgram(
  tx: ReadTx,
  { grant_id, credential_id, request }: PendingOperation,
): Promise<UserActor> {
  const program =
    grant_id === null ? await actorOfApiKey(tx, credential_id) : await actorOfGrant(tx, grant_id)
  if (!program || program.paused_at) {
    throw conflict(
      'credential_inactive',
      'The credential that has sent this request is revoked, expired or paused.',
    )
  }
  const { scopes } = JSON.parse(request) as SentWrite
  return { ...program, scopes: program.scopes.intersection(new Set<string>(scopes)) }
}

async function recordOutcome(
  tx: WriteTx,
  { id, user_id, request }: PendingOperation,
  outcome: PendingOutcome,
  person: UserActor,
): Promise<void> {
  if ('effect' in outcome) {
    const { record_count, changes, digest } = outcome.effect
    const preview = JSON.stringify(changes)
    await tx.run(replacePreview, { id, request, record_count, digest, preview })
    return
  }
  const { status, body } = outcome.reply
  await tx.run(decideOperation, {
    id,
    status: 'done',
    decided_by_id: person.user_id,
    decided_at: tx.now,
    reply_status: status,
    reply: tx.encrypt(body),
  })
  await endNotificationsOfApproval(tx, { id, user_id })
}

/** What was sent is refused by now, for a reason that the person reads. */
function rethrowOutdated(error: unknown): never {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { code, message } = error
  throw conflict('changed_since', `It cannot be done any more: ${message}`, [
    { field: '', code, message },
  ])
}

const changedSince = () =>
  conflict(
    'changed_since',
    'It would do something else by now, and nothing was done. Look at it again.',
  )
