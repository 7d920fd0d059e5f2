import type { WriteTx } from '#core/transaction.ts'
import { unscopedQuery } from '#db/core/statement.ts'
import { isScope, type Scope } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'
import { readCookie } from '../sessions/sessions.ts'
import { isApplicationUsableIn } from './application-usability.ts'
import { createGrant } from './grants.ts'
import {
  bindInteractionToSession,
  hashOAuthValue,
  oauthRecordByHash,
  saveInteractionResult,
} from './oauth-records.ts'

/** How long a user may take to answer an authorization request. */
export const CONSENT_TTL_SECONDS = 30 * 60

/**
 * This cookie identifies the browser in which an authorization request began, so that nobody can
 * make another user answer their request. Over https its prefix prevents other hosts from setting
 * it.
 */
const cookieName = (baseUrl: string, uid: string): string =>
  `${baseUrl.startsWith('https:') ? '__Host-' : ''}docket_asked_${uid.slice(0, 10)}`

/** Returns the Set-Cookie header that sets it. */
export const serializeConsentCookie = (baseUrl: string, uid: string): string =>
  `${cookieName(baseUrl, uid)}=${uid}; ${attributes(baseUrl)}; Max-Age=${CONSENT_TTL_SECONDS}`

/** Returns the Set-Cookie header that removes it. */
export const expireConsentCookie = (baseUrl: string, uid: string): string =>
  `${cookieName(baseUrl, uid)}=; ${attributes(baseUrl)}; Max-Age=0`

/** Whether a Cookie header comes from the browser in which this authorization request began. */
export const hasConsentCookie = (
  baseUrl: string,
  uid: string,
  cookie: string | undefined,
): boolean => readCookie(cookie, cookieName(baseUrl, uid)) === uid

const attributes = (baseUrl: string) =>
  `Path=/; ${baseUrl.startsWith('https:') ? 'Secure; ' : ''}HttpOnly; SameSite=Lax`

/** The fields that we use of an authorization request as the library stores it. */
interface InteractionPayload {
  /** The URL to return to, without the uid at its end. */
  returnTo: string
  begun_at: number
  params: Record<string, string | undefined>
}

/** An authorization request that waits for the user's decision. */
export interface PendingInteraction {
  uid: string
  /** Milliseconds since 1970. */
  begun_at: number
  /** Whether the user must sign in again after the request began. */
  forces_sign_in: boolean
  application: {
    id: string
    name: string
    description: string | null
    homepage_url: string | null
  }
  scopes: Scope[]
  redirect_uri: string
  /** The parameters with which the request can be started again. */
  params: Record<string, string>
  workspaces: { id: string; name: string }[]
}

/**
 * Loads an authorization request for the user and session that answer it. Returns undefined if the
 * request is unknown, expired or decided, or began in another session. A request that began without
 * a session is bound to this session from now on.
 */
export async function loadPendingInteraction(
  tx: WriteTx,
  uid: string,
  { session_id, user_id }: { session_id: string; user_id: string },
): Promise<PendingInteraction | undefined> {
  const hash = hashOAuthValue(uid)
  const record = await tx.one(oauthRecordByHash, { kind: 'Interaction', hash })
  if (!record || record.used_at !== null || record.expires_at <= tx.now) return undefined
  const { params, begun_at } = JSON.parse(record.payload) as InteractionPayload
  const forces_sign_in = (params.prompt ?? '').split(' ').includes('login')
  if (!forces_sign_in && record.session_id !== session_id) {
    if (record.session_id !== null) return undefined
    if ((await tx.run(bindInteractionToSession, { hash, session_id })) === 0) return undefined
  }
  const application = await tx.one(applicationById, { id: params.client_id ?? '' })
  if (!application) return undefined
  return {
    uid,
    begun_at,
    forces_sign_in,
    application,
    scopes: (params.scope ?? '').split(' ').filter(isScope),
    redirect_uri: params.redirect_uri ?? '',
    params: withoutUndefined(params),
    workspaces: await tx.all(workspacesForApplication, { user_id, id: application.id }),
  }
}

/**
 * The user's decision. The workspace for which access is allowed is undefined if access is denied.
 */
interface InteractionDecision {
  user_id: string
  workspace_id: string | undefined
  supervision: Supervision | null | undefined
}

/**
 * Stores the decision. Returns the URL to go to, or undefined if the request was decided before.
 */
export async function recordConsentDecision(
  tx: WriteTx,
  { uid, application, scopes }: PendingInteraction,
  { user_id, workspace_id, supervision }: InteractionDecision,
): Promise<string | undefined> {
  const hash = hashOAuthValue(uid)
  const record = await tx.one(oauthRecordByHash, { kind: 'Interaction', hash })
  if (!record) return undefined
  const result =
    workspace_id === undefined
      ? { error: 'access_denied', error_description: 'the person denied the request' }
      : {
          login: { accountId: user_id, remember: false },
          consent: {
            grantId: await createGrant(tx, {
              workspace_id,
              user_id,
              scopes,
              application_id: application.id,
              supervision,
            }),
          },
        }
  const stored = JSON.parse(record.payload) as InteractionPayload
  const payload = JSON.stringify({ ...stored, result })
  const updatedRows = await tx.run(saveInteractionResult, { hash, payload, now: tx.now })
  return updatedRows === 0 ? undefined : stored.returnTo + uid
}

const withoutUndefined = (params: InteractionPayload['params']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

const applicationById = unscopedQuery((db, $: { id: string }) =>
  db
    .selectFrom('applications')
    .select(['id', 'name', 'description', 'homepage_url'])
    .where('id', '=', $.id),
)

/** The workspaces of a user in which the application may be used, by name. */
const workspacesForApplication = unscopedQuery((db, $: { user_id: string; id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('applications', (join) => join.on('applications.id', '=', $.id))
    .select(['workspaces.id', 'workspaces.name'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where(isApplicationUsableIn('memberships.workspace_id'))
    .orderBy('workspaces.name')
    .orderBy('workspaces.id'),
)
