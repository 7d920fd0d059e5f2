import { NOBODY } from '#core/actor.ts'
import type { Means, Visit } from '#core/door.ts'
import { notFound, Refusal } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { cookieIn, sessionCookie } from '#identity/cookie.ts'
import { advanceGeneration } from '#identity/generation.ts'
import { hasSecondFactor } from '#identity/second-factor.ts'
import { type Begun, beginSession, hashOfSession } from '#identity/sessions.ts'
import { beginStep } from '#identity/steps.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { meansOf, shownSession } from '#resources/sessions/operations.ts'
import { workspacesOf } from '#resources/sessions/store.ts'
import type { SessionRow } from '#storage/tables.ts'
import type { SignInMeans } from '#wire/audit.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { deviceIn, deviceSet, newDevice, sessionSet, stepSet } from './cookies.ts'
import { noteWorkspace, removeSession, sessionsByHash, sessionsByUse } from './store.ts'

/** More of one person do not last: the one that was used longest ago ends. */
const MOST_SESSIONS = 50

/** Of a visit what a session is begun by. */
type Coming = Pick<Visit<Endpoint>, 'cookie' | 'agent'>

/** Who comes in; `workspace_id` where it is known or asked for. */
export interface Person {
  id: string
  /** How the person has shown who it is; `session`: is in already, and goes on in another one. */
  by: SignInMeans | 'session'
  /** The second factor was shown too. */
  twice?: boolean
  workspace_id?: string | undefined
  last_workspace_id?: string | null
}

/** A session that has begun, where it stands, of whom it is, and by which operation. */
export interface Entered extends Begun {
  user_id: string
  workspace_id: string
  operation_id: string
}

/** Somebody who has yet to show the second factor, or to begin a workspace: `step` goes into a cookie. */
export interface Held {
  for: 'second_factor' | 'no_workspace'
  step: string
}

/** What is known of somebody who is held; `twice`: the second factor was shown. */
export interface Kept {
  by: SignInMeans
  twice?: boolean | undefined
  workspace_id?: string | undefined
}

/**
 * Begins a session of a person who has shown who it is: where it is asked to, else where the person
 * was last. The session that the browser had until now ends. Whoever signs in with a second factor and
 * has not shown it is held, and so is whoever has no workspace. 404 for a workspace that is none of the
 * person's.
 */
export async function enter(
  tx: WriteTx,
  { baseUrl }: Pick<Means, 'baseUrl'>,
  { cookie, agent: user_agent }: Coming,
  person: Person,
): Promise<Entered | Held> {
  const { id: user_id, workspace_id: asked, last_workspace_id = null, by, twice } = person
  const open = await tx.all(workspacesOf, { user_id })
  if (asked !== undefined && !open.some(({ id }) => id === asked)) throw notFound()
  const wanted = asked ?? last_workspace_id
  const living = open.filter(({ id, deleted_at }) => deleted_at === null || id === asked)
  // An owner who has nothing else comes to where a deleted one can be restored.
  const choice = living.length > 0 ? living : open
  const { id: workspace_id } = choice.find(({ id }) => id === wanted) ?? choice[0] ?? {}
  if (by !== 'session') {
    const isOne = !twice && ONE_FACTOR.has(by)
    const kept = { by, twice, workspace_id }
    if (isOne && (await hasSecondFactor(tx, user_id))) {
      return hold(tx, 'second_factor', user_id, kept)
    }
    if (workspace_id === undefined) return hold(tx, 'no_workspace', user_id, kept)
  }
  if (workspace_id === undefined) throw notFound()
  const former = cookieIn(cookie, sessionCookie(baseUrl)) ?? ''
  const replaced = await tx.all(sessionsByHash, { hash: hashOfSession(former) })
  await endSessions(tx, replaced, 'replaced')
  const tooMany = (await tx.all(sessionsByUse, { user_id })).slice(MOST_SESSIONS - 1)
  await endSessions(tx, tooMany, 'too_many')
  if (replaced.length + tooMany.length > 0) await advanceGeneration(tx)
  const [before] = replaced
  const isTwo = twice || by === 'passkey' || (by === 'session' && before?.two_factors === 1)
  const factors = isTwo ? 2 : 1
  const signed_in_by = by === 'session' ? meansOf(before?.signed_in_by ?? null) : by
  const how = { user_id, workspace_id, user_agent, signed_in_by, factors } as const
  const begun = await beginSession(tx, how)
  tx.audit('session.created', begun.id, { user_id, by: signed_in_by, factors }, workspace_id)
  await tx.run(noteWorkspace, { user_id, stands_in: workspace_id })
  return { ...begun, user_id, workspace_id, operation_id: tx.operation_id }
}

/** Ways in that a second factor is asked after. A passkey has asked for a finger or a PIN itself. */
const ONE_FACTOR: ReadonlySet<Person['by']> = new Set(['password', 'company', 'link'])
const HOLD_MS = 10 * 60 * 1000

/** Holds somebody until what is missing is there: nothing has begun. */
async function hold(tx: WriteTx, kind: Held['for'], user_id: string, kept: Kept): Promise<Held> {
  const payload = JSON.stringify(kept)
  return { for: kind, step: await beginStep(tx, { kind, user_id, payload, lastsMs: HOLD_MS }) }
}

async function endSessions(
  tx: WriteTx,
  sessions: readonly Pick<SessionRow, 'id' | 'user_id' | 'workspace_id'>[],
  reason: 'replaced' | 'too_many',
): Promise<void> {
  for (const { id, user_id, workspace_id } of sessions) {
    await tx.run(removeSession, { id })
    tx.audit('session.ended', id, { user_id, reason }, workspace_id)
  }
}

/**
 * The reply to whoever has come in: the session, its cookie, and that of the browser. 401
 * `second_factor_required` or 403 `no_workspace` for whoever is held, with a cookie by which it goes on.
 */
export async function welcome(
  means: Means,
  { cookie }: Pick<Coming, 'cookie'>,
  entered: Entered | Held,
): Promise<{ reply: Session; cookies: string[]; operation_id: string }> {
  const { baseUrl, deviceKey } = means
  if ('step' in entered) {
    const goesOnBy = stepSet(baseUrl, entered.for, entered.step)
    throw entered.for === 'no_workspace' ? homeless(goesOnBy) : secondFactorRequired(goesOnBy)
  }
  const { user_id, value, operation_id } = entered
  const device = deviceIn(deviceKey, cookie, user_id) ?? newDevice(deviceKey, user_id)
  const cookies = [sessionSet(baseUrl, value), deviceSet(baseUrl, device)]
  return { reply: await showSession(means, entered), cookies, operation_id }
}

/** A session as it is shown, read in the workspace in which it stands. */
export const showSession = (
  { storage }: Pick<Means, 'storage'>,
  { id, user_id, workspace_id }: Pick<Entered, 'id' | 'user_id' | 'workspace_id'>,
): Promise<Session> =>
  storage.read({ ...NOBODY, workspace_id }, (tx) => shownSession(tx, user_id, id))

/** The sign-in goes on by the cookie, where there is one; else it is asked again with the code. */
export const secondFactorRequired = (cookie?: string) =>
  new Refusal(401, 'second_factor_required', 'Show the second factor to go on signing in.', {
    headers: cookie === undefined ? {} : { 'set-cookie': cookie },
  })

/** Told only to who has shown who it is: nobody else learns who has an account. */
const homeless = (cookie: string) =>
  new Refusal(403, 'no_workspace', 'You are a member of no workspace: begin one, or be invited.', {
    headers: { 'set-cookie': cookie },
  })
