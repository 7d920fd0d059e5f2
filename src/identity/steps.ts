import type { ReadTx, WriteTx } from '#core/tx.ts'
import { timestampOf } from '#lib/clock.ts'
import { hashOfLinkToken, newLinkToken } from '#lib/token.ts'
import { commandOfAll, queryOfAll, row } from '#storage/statement.ts'
import type { SignInStepRow } from '#storage/tables.ts'

export type StepKind = SignInStepRow['kind']

/** What a sign-in has come to, for whoever has the value. */
export interface Step {
  user_id: string | null
  payload: string
}

interface NewStep extends Step {
  kind: StepKind
  lastsMs: number
}

/** Keeps what a sign-in has come to: gives the value by which it goes on, told here and never again. */
export async function beginStep(tx: WriteTx, { kind, lastsMs, ...step }: NewStep): Promise<string> {
  const value = newLinkToken()
  const expires_at = timestampOf(tx.instant + lastsMs)
  await tx.run(insertStep, { hash: hashOfLinkToken(value), kind, expires_at, ...step })
  return value
}

/** The step with this value, if it is there and its time is not over. */
export async function findStep(
  tx: ReadTx,
  kind: StepKind,
  value: string | undefined,
): Promise<Step | undefined> {
  const found = await tx.one(stepByHash, { hash: hashOfLinkToken(value ?? ''), kind })
  return found && found.expires_at > tx.now ? found : undefined
}

/** The same, used up: of two who come at once one gets it. */
export async function takeStep(
  tx: WriteTx,
  kind: StepKind,
  value: string | undefined,
): Promise<Step | undefined> {
  const step = await findStep(tx, kind, value)
  const isMine = (await tx.run(removeStep, { hash: hashOfLinkToken(value ?? '') })) === 1
  return isMine ? step : undefined
}

const insertStep = commandOfAll((db, $: SignInStepRow) =>
  db.insertInto('sign_in_steps').values(row($, 'hash', 'kind', 'user_id', 'payload', 'expires_at')),
)

const stepByHash = queryOfAll((db, $: { hash: string; kind: StepKind }) =>
  db
    .selectFrom('sign_in_steps')
    .select(['user_id', 'payload', 'expires_at'])
    .where('hash', '=', $.hash)
    .where('kind', '=', $.kind),
)

const removeStep = commandOfAll((db, $: { hash: string }) =>
  db.deleteFrom('sign_in_steps').where('hash', '=', $.hash),
)

/** Ends what a person has begun, or what was begun with a password that is no more. */
export const removeStepsOf = commandOfAll((db, $: { user_id: string }) =>
  db.deleteFrom('sign_in_steps').where('user_id', '=', $.user_id),
)
