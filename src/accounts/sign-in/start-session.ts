import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { bumpAuthVersion } from '#auth/auth-version.ts'
import { unauthenticated } from '#auth/authenticator.ts'
import { hasSecondFactor, secondFactorSince } from '#auth/second-factor/second-factor.ts'
import {
  type CreatedSession,
  createSession,
  hashSessionCookie,
  readCookie,
  sessionCookieName,
} from '#auth/sessions/sessions.ts'
import { countAttempts, listSignInLimits } from '#auth/sign-in/attempt-limits.ts'
import {
  createSignInStep,
  type SignInStateKind,
  type SignInStepKind,
} from '#auth/sign-in/sign-in-steps.ts'
import { revokeUserAccess } from '#auth/users/user-access.ts'
import { ANONYMOUS_ACTOR } from '#core/actor.ts'
import { ApiError, notFound } from '#core/api-error.ts'
import type { ActionContext, ActionDeps } from '#core/session-action.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { moveDevicesToSession } from '#db/notifications/push-devices.ts'
import type { SessionRow } from '#db/schema/tables.ts'
import { normalizeAddress } from '#lib/ip-address.ts'
import type { Session } from '#resources/sessions/contract.ts'
import { loadSessionRecord, parseSignInMethod } from '#resources/sessions/operations.ts'
import { workspacesOfUser } from '#resources/sessions/store.ts'
import type { SignInMethod } from '#wire/audit-actions.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import {
  removeSessionById,
  sessionsByHash,
  sessionsByLastUse,
  updateLastWorkspace,
} from '../store.ts'

const DAY_S = 24 * 60 * 60
const DEVICE_COOKIE = 'docket_device'

/** A cookie has the token of a stored step, or the encrypted state itself. */
type StepCookieKind = SignInStepKind | SignInStateKind

/**
 * Returns the Set-Cookie header of a session (docs/spec/api.md#session-cookie). Max-Age is the maximum lifetime of a
 * session.
 */
export const serializeSessionCookie = (baseUrl: string, value: string): string =>
  `${sessionCookieName(baseUrl)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=${30 * DAY_S}`

/** Returns the Set-Cookie header that removes it. */
export const expireSessionCookie = (baseUrl: string): string =>
  `${sessionCookieName(baseUrl)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/**
 * Returns the Set-Cookie header of a device token. It identifies a browser that has signed in to
 * the account before, so that it has its own limits of attempts. It grants no access.
 */
export const serializeDeviceCookie = (baseUrl: string, device: string): string =>
  `${DEVICE_COOKIE}=${device}; Path=/internal; ${attributes(baseUrl)}; Max-Age=${365 * DAY_S}`

/** Returns the Set-Cookie header of an unfinished sign-in, which only this browser can continue. */
export const serializeStepCookie = (baseUrl: string, kind: StepCookieKind, value: string): string =>
  `${stepCookieName(baseUrl, kind)}=${value}; Path=/; ${attributes(baseUrl)}; Max-Age=600`

/** Returns the Set-Cookie header that removes it. */
export const expireStepCookie = (baseUrl: string, kind: StepCookieKind): string =>
  `${stepCookieName(baseUrl, kind)}=; Path=/; ${attributes(baseUrl)}; Max-Age=0`

/** Reads the token of an unfinished sign-in from a Cookie header. */
export const readStepCookie = (baseUrl: string, kind: StepCookieKind, cookie: string | undefined) =>
  readCookie(cookie, stepCookieName(baseUrl, kind))

/** Over https the prefix prevents other hosts from setting the cookie. */
const stepCookieName = (baseUrl: string, kind: StepCookieKind): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : 'docket_'}${kind}`

const attributes = (baseUrl: string) =>
  baseUrl.startsWith('https:') ? 'Secure; HttpOnly; SameSite=Lax' : 'HttpOnly; SameSite=Lax'

/**
 * Creates a device token of an account: user id, random id, time of issue and signature. The account
 * must have passed every factor that it has at that time.
 */
export function createDeviceToken(key: Buffer, user_id: string, nowMs: number): string {
  const unsigned = `${user_id}.${randomBytes(16).toString('base64url')}.${nowMs}`
  return `${unsigned}.${sign(key, unsigned)}`
}

/**
 * Reads the device token from a Cookie header if its signature is valid and it belongs to this
 * account. It proves only that somebody in this browser has known a password of the account: for what
 * comes after the password see `findVerifiedDevice`.
 */
export function readDeviceToken(
  key: Buffer,
  cookie: string | undefined,
  user_id: string,
): string | undefined {
  const value = readCookie(cookie, DEVICE_COOKIE)
  if (value === undefined || !value.startsWith(`${user_id}.`)) return undefined
  const end = value.lastIndexOf('.')
  const [actual, expected] = [value.slice(end + 1), sign(key, value.slice(0, end))].map((text) =>
    Buffer.from(text),
  )
  if (!actual || !expected || actual.length !== expected.length) return undefined
  return timingSafeEqual(actual, expected) ? value : undefined
}

/**
 * Reads the device token if it was issued since the account has the second factor that it has now.
 * Before, a password was enough to collect any number of them.
 */
export async function findVerifiedDevice(
  tx: ReadTx,
  key: Buffer,
  cookie: string | undefined,
  user_id: string,
): Promise<string | undefined> {
  const device = readDeviceToken(key, cookie, user_id)
  const since = device === undefined ? null : await secondFactorSince(tx, user_id)
  if (since === null) return device
  // Tokens of earlier builds have no time of issue: NaN is not after anything.
  const issuedAt = Number(device?.split('.')[2])
  return issuedAt >= Date.parse(since) ? device : undefined
}

const sign = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text).digest('base64url')

/** Per user. The least recently used sessions end if there are more. */
const MAX_SESSIONS = 50

type SessionStartContext = Pick<ActionContext<Endpoint>, 'cookie' | 'agent' | 'address'>

/** A user who has proved their identity. `workspace_id` is set if it is known or requested. */
export interface AuthenticatedPerson {
  id: string
  /** The sign-in method; `session` if a session is replaced by a new one. */
  by: SignInMethod | 'session'
  /** Whether the second factor was shown, too. */
  twice?: boolean
  /** Whether this continues a pending sign-in, which has counted against the limits when it began. */
  isContinued?: boolean
  workspace_id?: string | undefined
  last_workspace_id?: string | null
  /** Whether to end whatever else can act for the user, as soon as the second factor was shown. */
  revokes_access?: boolean | undefined
  /**
   * The session that a new one of `session` continues, if this transaction has ended it already. Set
   * it only for a user who has just entered or set the password.
   */
  previous?: CookieSession | undefined
}

type CookieSession = Awaited<ReturnType<typeof loadCookieSessions>>[number]

/** The session of the request's cookie, if there is one. */
export function loadCookieSessions(
  tx: ReadTx,
  { baseUrl }: Pick<ActionDeps, 'baseUrl'>,
  { cookie }: Pick<SessionStartContext, 'cookie'>,
) {
  const value = readCookie(cookie, sessionCookieName(baseUrl)) ?? ''
  return tx.all(sessionsByHash, { hash: hashSessionCookie(value) })
}

/** A new session with its user, workspace and operation. */
export interface StartedSession extends CreatedSession {
  user_id: string
  workspace_id: string
  operation_id: string
  /** The device token of the browser. */
  device: string | undefined
}

/**
 * An unfinished sign-in that needs a second factor or a workspace. `step` is its token, for a
 * cookie.
 */
export interface PendingSignIn {
  for: 'second_factor' | 'no_workspace'
  step: string
}

/** The stored payload of an unfinished sign-in. `twice` says that the second factor was shown. */
export interface PendingSignInPayload {
  by: SignInMethod
  twice?: boolean | undefined
  workspace_id?: string | undefined
  revokes_access?: boolean | undefined
}

/**
 * Starts a session in the requested workspace, or in the one that the user used last, and ends the
 * previous session of the browser. The sign-in stays pending if the user has a second factor that
 * was not shown, or has no workspace. Throws 404 if the user is not a member of the requested
 * workspace, 401 if the session to continue has ended since the request began, and 429 after too many
 * sign-ins.
 */
export async function startSession(
  tx: WriteTx,
  deps: Pick<ActionDeps, 'baseUrl' | 'deviceKey'>,
  context: SessionStartContext,
  person: AuthenticatedPerson,
): Promise<StartedSession | PendingSignIn> {
  const { id: user_id, workspace_id: requestedId, last_workspace_id = null, by, twice } = person
  const { revokes_access } = person
  const { deviceKey } = deps
  const knownDevice = await findVerifiedDevice(tx, deviceKey, context.cookie, user_id)
  if (LIMITED.has(by) && !person.isContinued) {
    const limits = listSignInLimits(user_id, knownDevice, context.address)
    const { refusal } = await countAttempts(tx, limits)
    if (refusal) throw refusal
  }
  const memberWorkspaces = await tx.all(workspacesOfUser, { user_id })
  if (requestedId !== undefined && !memberWorkspaces.some(({ id }) => id === requestedId))
    throw notFound()
  const preferredId = requestedId ?? last_workspace_id
  const usableWorkspaces = memberWorkspaces.filter(
    ({ id, deleted_at }) => deleted_at === null || id === requestedId,
  )
  // An owner without any other workspace gets into a deleted one, to be able to restore it.
  const candidates = usableWorkspaces.length > 0 ? usableWorkspaces : memberWorkspaces
  const { id: workspace_id } =
    candidates.find(({ id }) => id === preferredId) ?? candidates[0] ?? {}
  if (by !== 'session') {
    const hasOneFactor = !twice && ONE_FACTOR.has(by)
    const pending = { by, twice, workspace_id, revokes_access }
    if (hasOneFactor && (await hasSecondFactor(tx, user_id))) {
      return storePendingSignIn(tx, 'second_factor', user_id, pending)
    }
    if (revokes_access) await revokeUserAccess(tx, user_id, { hasShownSecondFactor: !!twice })
    if (workspace_id === undefined) return storePendingSignIn(tx, 'no_workspace', user_id, pending)
  }
  if (workspace_id === undefined) throw notFound()
  const replacedSessions = await loadCookieSessions(tx, deps, context)
  const replacedCount = await endSessions(tx, replacedSessions, 'replaced')
  const excessSessions = (await tx.all(sessionsByLastUse, { user_id })).slice(MAX_SESSIONS - 1)
  await endSessions(tx, excessSessions, 'too_many')
  if (replacedSessions.length + excessSessions.length > 0) await bumpAuthVersion(tx)
  const [replaced] = replacedSessions
  const previous = person.previous ?? (replacedCount > 0 ? replaced : undefined)
  // Otherwise somebody who has been signed out could begin a new session with the old one.
  if (by === 'session' && (previous?.user_id !== user_id || previous.expires_at <= tx.now))
    throw unauthenticated('ended')
  const hasTwoFactors =
    twice || by === 'passkey' || (by === 'session' && previous?.two_factors === 1)
  const factors: 1 | 2 = hasTwoFactors ? 2 : 1
  const signed_in_by = by === 'session' ? parseSignInMethod(previous?.signed_in_by ?? null) : by
  // Only a proof of identity makes a session recent, so a session that replaces one keeps its age.
  const continued = by === 'session' ? replaced : undefined
  const { agent: user_agent, address } = context
  const newSession = { user_id, workspace_id, user_agent, address, signed_in_by, factors }
  const session = await createSession(tx, { ...newSession, continued })
  if (previous?.user_id === user_id) {
    const sessions = { from_session: previous.id, to_session: session.id }
    await tx.run(moveDevicesToSession, { ...sessions, user_id })
  }
  const details = { user_id, by: signed_in_by, factors, address: normalizeAddress(address) }
  tx.audit('session.created', session.id, details, workspace_id)
  await tx.run(updateLastWorkspace, { user_id, stands_in: workspace_id })
  // A session may be older than the second factor, so one that continues it proves nothing.
  const newDevice = by === 'session' ? undefined : createDeviceToken(deviceKey, user_id, tx.nowMs)
  const device = knownDevice ?? newDevice
  return { ...session, user_id, workspace_id, operation_id: tx.operation_id, device }
}

/**
 * The methods whose use is limited. Those who have used up a limit can still sign in with a link;
 * links, sign-ups and sessions were made by actions with limits of their own.
 */
const LIMITED: ReadonlySet<AuthenticatedPerson['by']> = new Set(['password', 'passkey', 'company'])

/**
 * Sign-in methods that require a second factor. Passkeys have verified the user by biometrics or a
 * PIN.
 */
const ONE_FACTOR: ReadonlySet<AuthenticatedPerson['by']> = new Set(['password', 'company', 'link'])
const PENDING_SIGN_IN_TTL_MS = 10 * 60 * 1000

/** Stores the unfinished sign-in. There is no session yet. */
async function storePendingSignIn(
  tx: WriteTx,
  kind: PendingSignIn['for'],
  user_id: string,
  pending: PendingSignInPayload,
): Promise<PendingSignIn> {
  const payload = JSON.stringify(pending)
  return {
    for: kind,
    step: await createSignInStep(tx, { kind, user_id, payload, lastsMs: PENDING_SIGN_IN_TTL_MS }),
  }
}

/** Returns how many it ended: another transaction may have ended some since they were read. */
async function endSessions(
  tx: WriteTx,
  sessions: readonly Pick<SessionRow, 'id' | 'user_id' | 'workspace_id'>[],
  reason: 'replaced' | 'too_many',
): Promise<number> {
  let count = 0
  for (const { id, user_id, workspace_id } of sessions) {
    if ((await tx.run(removeSessionById, { id })) === 0) continue
    count += 1
    tx.audit('session.ended', id, { user_id, reason }, workspace_id)
  }
  return count
}

/**
 * Returns the session with its cookie and the device cookie. For a pending sign-in it throws 401
 * `second_factor_required` or 403 `no_workspace`, with a cookie to continue with.
 */
export async function toSignInReply(
  deps: ActionDeps,
  entered: StartedSession | PendingSignIn,
): Promise<{ reply: Session; cookies: string[]; operation_id: string }> {
  const { baseUrl } = deps
  if ('step' in entered) {
    const stepCookie = serializeStepCookie(baseUrl, entered.for, entered.step)
    throw entered.for === 'no_workspace'
      ? noWorkspace(stepCookie)
      : secondFactorRequired(stepCookie)
  }
  const { value, device, operation_id } = entered
  const cookies = [
    serializeSessionCookie(baseUrl, value),
    ...(device === undefined ? [] : [serializeDeviceCookie(baseUrl, device)]),
  ]
  return { reply: await readSession(deps, entered), cookies, operation_id }
}

/** Reads a session in its workspace, as the API returns it. */
export const readSession = (
  { storage }: Pick<ActionDeps, 'storage'>,
  { id, user_id, workspace_id }: Pick<StartedSession, 'id' | 'user_id' | 'workspace_id'>,
): Promise<Session> =>
  storage.read({ ...ANONYMOUS_ACTOR, workspace_id }, (tx) => loadSessionRecord(tx, user_id, id))

/**
 * With a cookie the sign-in can be continued; without one the request must be repeated with a code.
 */
export const secondFactorRequired = (cookie?: string) =>
  new ApiError(
    401,
    'second_factor_required',
    'Enter the code of your second factor to finish signing in.',
    {
      headers: cookie === undefined ? {} : { 'set-cookie': cookie },
    },
  )

/** Only for users who have proved their identity, so that nobody else learns who has an account. */
const noWorkspace = (cookie: string) =>
  new ApiError(
    403,
    'no_workspace',
    'You are not a member of any workspace. Create one, or ask for an invitation.',
    {
      headers: { 'set-cookie': cookie },
    },
  )
