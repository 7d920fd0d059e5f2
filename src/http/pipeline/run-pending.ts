import { notFound } from '#core/api-error.ts'
import type {
  PendingOutcome,
  PendingRequest,
  SentWrite,
  WriteEffect,
} from '#core/pending-request.ts'
import type { Route, WriteRoute } from '#core/route.ts'
import type { ActionDeps } from '#core/session-action.ts'
import type { WriteTx } from '#core/transaction.ts'
import { readEventLogBounds } from '#db/events/outbox.ts'
import { createSchemaParser } from '#wire/schema-parser.ts'
import { assertAllowed } from './admission.ts'
import { runWrite } from './serve-write.ts'
import { readEffectSince } from './supervision.ts'

/** It would do something else than the person has seen. */
class EffectChanged extends Error {
  readonly effect: WriteEffect

  constructor(effect: WriteEffect) {
    super('A pending operation would do something else by now')
    this.effect = effect
  }
}

/**
 * Creates what runs a request that a person has allowed, in a transaction of the actor that has sent it: with all
 * checks of a request, as an operation with the id under which it has waited.
 */
export function createPendingRunner(
  baseUrl: string,
  routes: readonly Route[],
): Pick<ActionDeps, 'runPending' | 'grantsLastingAccess'> {
  const writes = new Map<string, WriteRoute>()
  for (const route of routes)
    if (route.kind === 'write') writes.set(`${route.endpoint.method} ${route.endpoint.path}`, route)

  async function runPending(tx: WriteTx, pending: PendingRequest): Promise<PendingOutcome> {
    const route = writes.get(pending.endpoint)
    if (!route) throw notFound()
    const { endpoint } = route
    const { params, query, body, allowed } = JSON.parse(pending.request) as SentWrite
    const validate = () =>
      endpoint.body ? createSchemaParser(endpoint.body)(body) : { value: undefined, errors: [] }
    const { newest } = await readEventLogBounds(tx)
    try {
      return await tx.runOperation(async () => {
        if (tx.actor.type !== 'system') assertAllowed(tx.actor, endpoint)
        const input = { params, query, body }
        const write = { input, allowed: allowed ?? undefined, validate }
        const outcome = await runWrite(tx, baseUrl, route, write)
        const effect = await readEffectSince(tx, newest, outcome)
        if (effect.digest !== pending.digest) throw new EffectChanged(effect)
        return { reply: outcome.reply }
      }, pending.id)
    } catch (error) {
      if (error instanceof EffectChanged) return { effect: error.effect }
      throw error
    }
  }

  return {
    runPending,
    grantsLastingAccess: (name) => writes.get(name)?.endpoint.grantsLastingAccess !== false,
  }
}
