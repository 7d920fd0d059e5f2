import type { Scope } from '#wire/scopes.ts'
import type { Source } from '#wire/source.ts'

export type Plan = 'free' | 'paid'
export type Role = 'owner' | 'admin' | 'member' | 'guest'

/** Who asks, in which workspace, with which rights. `identity` makes it; every transaction has it. */
export interface Actor {
  /** By what kind of credential, as events tell it (contract 8.1). */
  type: 'user' | 'api_key' | 'app' | 'system'
  workspace_id: string
  /** Null for the command line and the server itself. */
  user_id: string | null
  name: string
  role: Role
  credential_id: string | null
  credential_name: string | null
  /** By what its records come where the credential does not tell: a file that a person brings in. */
  source?: Source
  /** Of an application: what its person has allowed it, by which it acts. */
  grant_id?: string
  /** RFC 3339, or null: it does not expire. */
  expires_at: string | null
  scopes: ReadonlySet<Scope>
  plan: Plan
  /** IANA names: the person's own, and the one in which the workspace counts its days. */
  timezone: string
  workspace_timezone: string
  /** Of an owner whose workspace is deleted: there is nothing to do but to restore it. */
  workspace_deleted_at?: string | null
  /** Of a session: whether a second factor was shown that is still there, or the company vouches. */
  is_proven_twice?: boolean
  /** Of a session: whether its workspace answers nobody else. */
  workspace_requires_second_factor?: boolean
}

/** Owners and admins see every project and manage what belongs to the workspace (contract 4.3). */
export const manages = ({ role }: Actor): boolean => role === 'owner' || role === 'admin'

/** Whether the workspace demands a second factor that this session lacks: it is answered nothing there. */
export const lacksSecondFactor = (actor: Actor): boolean =>
  actor.workspace_requires_second_factor === true && actor.is_proven_twice !== true

/** For the work that comes before it is known who asks. It owns nothing and may do nothing. */
export const NOBODY: Actor = {
  type: 'system',
  workspace_id: '',
  user_id: null,
  name: 'Docket',
  role: 'guest',
  credential_id: null,
  credential_name: null,
  expires_at: null,
  scopes: new Set(),
  plan: 'free',
  timezone: 'UTC',
  workspace_timezone: 'UTC',
}

/** A person who has just shown who it is, and has no credential by which to act yet. */
export const personally = (user_id: string, workspace_id = NOBODY.workspace_id): Actor => ({
  ...NOBODY,
  ...{ type: 'user', user_id, workspace_id },
})
