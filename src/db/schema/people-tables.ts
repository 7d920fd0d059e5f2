import type { Generated } from 'kysely'
import type { Role } from '#core/actor.ts'

/* Rows of users, memberships and credentials; `tables.ts` has the others. */

export interface UserRow {
  id: string
  email: string
  name: string
  avatar_url: string | null
  timezone: string
  locale: string
  password_hash: string | null
  /** The workspace that the user visited last, in which the next session begins. */
  last_workspace_id: Generated<string | null>
  /** The address whose ownership the user has proved; `email` is verified while both are equal. */
  verified_email: Generated<string | null>
  created_at: string
  updated_at: string
}

export interface MembershipRow {
  workspace_id: string
  user_id: string
  role: Role
  /** The user's name, case-folded, and its words; lists are sorted and searched by them. */
  name_key: string
  name_words: string
  joined_at: string
  removed_at: string | null
  last_active_at: string | null
}

export interface ApiKeyRow {
  workspace_id: string
  id: string
  user_id: string
  name: string
  hash: string
  hint: string
  /** JSON array, sorted. */
  scopes: string
  expires_at: string | null
  /** Requests per minute; null if only the limit of the workspace applies. */
  rate_limit: number | null
  last_used_at: string | null
  created_at: string
}

/** A session of the web app; only the hash of its cookie value is stored. */
export interface SessionRow {
  id: string
  hash: string
  user_id: string
  /** The session's current workspace. */
  workspace_id: string
  user_agent: string
  /** The IP address of the sign-in; null: not recorded. */
  address: Generated<string | null>
  /** How the user signed in (`SIGN_IN_METHODS`); null: not recorded. */
  signed_in_by: Generated<string | null>
  /** 1: signed in with two factors. */
  two_factors: Generated<number>
  /** When its person last confirmed it by the password; null: not since the sign-in. */
  confirmed_at: Generated<string | null>
  created_at: string
  /** At most two minutes behind. */
  last_used_at: string
  expires_at: string
}

/** A single-use link for choosing another password. */
export interface PasswordResetRow {
  hash: string
  user_id: string
  created_at: string
  expires_at: string
}

/** Failed password attempts, keyed by a hash of the subject for which they are counted. */
export interface SignInAttemptsRow {
  subject: string
  /** JSON array of milliseconds since 1970, in ascending order. */
  failed_at: string
  blocked_until: string
  kept_until: string
}

/** An invitation that is neither accepted nor revoked; at most one per email address. */
export interface InvitationRow {
  workspace_id: string
  id: string
  email: string
  role: Role
  /** JSON array of the projects that a guest will join. */
  project_ids: string
  invited_by_id: string
  hash: string
  expires_at: string
  created_at: string
}

/** Requests of a credential in the minute that begins at `at`. */
export interface RequestCountRow {
  workspace_id: string
  at: string
  /** The id of the credential, or of many that are counted together (core/merged-credentials.ts). */
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Answered 429. */
  refused: number
}

/** A third-party application that acts for users with their consent. */
export interface ApplicationRow {
  id: string
  /** Null for an application of the whole installation. */
  workspace_id: string | null
  name: string
  description: string | null
  homepage_url: string | null
  type: 'confidential' | 'public'
  distribution: 'private' | 'public'
  /** JSON array, as given. */
  redirect_uris: string
  /** JSON array, sorted: the scopes that it may request. */
  scopes: string
  /** Only for confidential applications. */
  secret_hash: string | null
  secret_hint: string | null
  created_by_id: string | null
  created_at: string
  updated_at: string
}

/** A user's consent for an application to act in a workspace. */
export interface GrantRow {
  id: string
  workspace_id: string
  user_id: string
  application_id: string
  /** JSON array, sorted. */
  scopes: string
  created_at: string
  last_used_at: string | null
  /** When its last token expires; before the first token, a short time after its creation. */
  expires_at: string
}

/** A record of the authorization server, looked up by the hash of its value. */
export interface OAuthRecordRow {
  /** `Interaction`, `AuthorizationCode`, `AccessToken` or `RefreshToken`, as the library names it. */
  kind: string
  hash: string
  grant_id: string | null
  /** For a refresh token: the token that it replaces. */
  parent_hash: string | null
  /** For an interaction: the session in which the user answers it. */
  session_id: string | null
  /** JSON, without the value. */
  payload: string
  used_at: string | null
  /** 1: a refresh token that must not be used again, not even within its window. */
  ended: number
  expires_at: string
  /** When a refresh token was presented again although it was used or had ended. */
  repeated_at: string | null
}
