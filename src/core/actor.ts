import type { RecordSource } from '#wire/record-fields.ts'
import { type Right, type Role, rolesWith } from '#wire/rights.ts'
import type { Scope } from '#wire/scopes.ts'
import type { Supervision } from '#wire/supervision.ts'

export type Plan = 'free' | 'paid'

/**
 * The authenticated caller with its workspace and rights. `auth` creates it; every transaction has
 * one.
 */
export type Actor = UserActor | SystemActor

/** A user, also when an API key or an application acts for them. */
export interface UserActor extends ActorRights {
  /** The kind of credential, as events report it (docs/spec/api.md#event-envelope). */
  type: 'user' | 'api_key' | 'app'
  user_id: string
}

/** The command line and the server itself. */
interface SystemActor extends ActorRights {
  type: 'system'
  user_id: null
}

/** How a person keeps an API key or an application in check. */
export interface CredentialSupervision {
  /** What it may do only once a person has looked at it; null: nothing. */
  supervision: Supervision | null
  /** RFC 3339: until then nobody is asked. */
  allowed_until: string | null
  /** RFC 3339: since when it may do nothing. */
  paused_at: string | null
}

/** A session and the system are not supervised. */
interface ActorRights extends Partial<CredentialSupervision> {
  workspace_id: string
  name: string
  role: Role
  credential_id: string | null
  credential_name: string | null
  /** Overrides the source derived from the credential, for example while a file is imported. */
  source?: RecordSource
  /** Set while a file is imported. */
  import_id?: string
  /** Set for an application: the grant under which it acts for its user. */
  grant_id?: string
  /** RFC 3339; null if the credential does not expire. */
  expires_at: string | null
  scopes: ReadonlySet<Scope>
  /** For API keys: requests per minute, if they have a limit of their own. */
  rate_limit?: number | null
  plan: Plan
  /** IANA names: the user's own zone, and the zone that decides the days of the workspace. */
  timezone: string
  workspace_timezone: string
  /** Set for an owner whose workspace is deleted, who can only restore it. */
  workspace_deleted_at?: string | null
  /**
   * For sessions: true after a second factor that still exists, or after a company sign-in, whose
   * provider is trusted to check one.
   */
  has_passed_second_factor?: boolean
  /** For sessions: true if the workspace admits only sessions with a second factor. */
  workspace_requires_second_factor?: boolean
}

/** The user of the actor; `''`, which is the id of nobody, for the system. */
export const viewerId = ({ user_id }: Actor): string => user_id ?? ''

/** Whether the role of an actor has a right (docs/spec/api.md#roles-and-visibility). */
export const may = ({ role }: Pick<Actor, 'role'>, right: Right): boolean =>
  rolesWith(right).includes(role)

/**
 * True if the workspace requires a second factor that this session lacks: it may not read anything.
 */
export const lacksSecondFactor = (actor: Actor): boolean =>
  actor.workspace_requires_second_factor === true && actor.has_passed_second_factor !== true

/** The actor of work before authentication. It owns nothing and has no rights. */
export const ANONYMOUS_ACTOR: SystemActor = {
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

/** The actor of a user who has just signed in and has no credential yet. */
export const createUserActor = (
  user_id: string,
  workspace_id = ANONYMOUS_ACTOR.workspace_id,
): UserActor => ({ ...ANONYMOUS_ACTOR, type: 'user', user_id, workspace_id })

const SOURCE_BY_ACTOR_TYPE: Record<Actor['type'], RecordSource> = {
  user: 'web',
  api_key: 'api',
  app: 'app',
  system: 'import',
}

/** The `source` of records that the actor creates (docs/spec/api.md#comment). */
export const recordSourceOf = ({ type, source }: Actor): RecordSource =>
  source ?? SOURCE_BY_ACTOR_TYPE[type]
