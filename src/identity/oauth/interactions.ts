import type { WriteTx } from '#core/tx.ts'
import { queryOfAll } from '#storage/statement.ts'
import { isScope, type Scope } from '#wire/scopes.ts'
import { allow } from './grants.ts'
import { bindInteraction, decideInteraction, hashOfValue, recordByHash } from './records.ts'
import { usableIn } from './usable.ts'

/** What the library keeps of a request for authorization, as far as it matters here. */
interface Kept {
  /** Where the browser goes on, before the uid. */
  returnTo: string
  begun_at: number
  params: Record<string, string | undefined>
}

/** A request for authorization that waits for an answer. */
export interface Pending {
  uid: string
  /** Milliseconds since 1970. */
  begun_at: number
  /** Whether the person must have signed in since. */
  forces_sign_in: boolean
  application: {
    id: string
    name: string
    description: string | null
    homepage_url: string | null
  }
  scopes: Scope[]
  redirect_uri: string
  /** Its parameters, to begin it anew. */
  params: Record<string, string>
  workspaces: { id: string; name: string }[]
}

/**
 * A request for authorization, for the person of the session who answers it; undefined if it is
 * unknown, over or decided, or began in another session. One that began without a session belongs
 * from now on to this one (reliability O9).
 */
export async function pendingOf(
  tx: WriteTx,
  uid: string,
  { session_id, user_id }: { session_id: string; user_id: string },
): Promise<Pending | undefined> {
  const hash = hashOfValue(uid)
  const found = await tx.one(recordByHash, { kind: 'Interaction', hash })
  if (!found || found.used_at !== null || found.expires_at <= tx.now) return undefined
  const { params, begun_at } = JSON.parse(found.payload) as Kept
  const forces_sign_in = (params.prompt ?? '').split(' ').includes('login')
  if (!forces_sign_in && found.session_id !== session_id) {
    if (found.session_id !== null) return undefined
    if ((await tx.run(bindInteraction, { hash, session_id })) === 0) return undefined
  }
  const application = await tx.one(askingApplication, { id: params.client_id ?? '' })
  if (!application) return undefined
  return {
    ...{ uid, begun_at, forces_sign_in, application },
    scopes: (params.scope ?? '').split(' ').filter(isScope),
    redirect_uri: params.redirect_uri ?? '',
    params: definedOf(params),
    workspaces: await tx.all(workspacesFor, { user_id, id: application.id }),
  }
}

/** Whom the decision is of, and for which workspace; undefined: denied. */
export interface Decision {
  user_id: string
  workspace_id: string | undefined
}

/** Decides a request; gives the address at which the browser goes on, or undefined if it was decided. */
export async function decide(
  tx: WriteTx,
  { uid, application, scopes }: Pending,
  { user_id, workspace_id }: Decision,
): Promise<string | undefined> {
  const hash = hashOfValue(uid)
  const found = await tx.one(recordByHash, { kind: 'Interaction', hash })
  if (!found) return undefined
  const result =
    workspace_id === undefined
      ? { error: 'access_denied', error_description: 'the person denied the request' }
      : {
          login: { accountId: user_id, remember: false },
          consent: {
            grantId: await allow(tx, {
              ...{ workspace_id, user_id, scopes },
              application_id: application.id,
            }),
          },
        }
  const kept = JSON.parse(found.payload) as Kept
  const payload = JSON.stringify({ ...kept, result })
  const decided = await tx.run(decideInteraction, { hash, payload, now: tx.now })
  return decided === 0 ? undefined : kept.returnTo + uid
}

const definedOf = (params: Kept['params']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

const askingApplication = queryOfAll((db, $: { id: string }) =>
  db
    .selectFrom('applications')
    .select(['id', 'name', 'description', 'homepage_url'])
    .where('id', '=', $.id),
)

/** The workspaces of a person for which an application may be allowed anything, by name. */
const workspacesFor = queryOfAll((db, $: { user_id: string; id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .innerJoin('applications', (join) => join.on('applications.id', '=', $.id))
    .select(['workspaces.id', 'workspaces.name'])
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where(usableIn('memberships.workspace_id'))
    .orderBy('workspaces.name')
    .orderBy('workspaces.id'),
)
