import type { Generated } from 'kysely'
import type { Role } from '#core/actor.ts'

/* Rows of who asks and with what; `tables.ts` has the others. */

export interface UserRow {
  id: string
  email: string
  name: string
  avatar_url: string | null
  timezone: string
  locale: string
  password_hash: string | null
  /** In which the person was last: where the next session begins. */
  last_workspace_id: Generated<string | null>
  /** The address that the person has shown to own: while it is `email`, that is verified. */
  verified_email: Generated<string | null>
  created_at: string
  updated_at: string
}

export interface MembershipRow {
  workspace_id: string
  user_id: string
  role: Role
  /** The person's name, folded, and its words: lists sort and search by them. */
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
  last_used_at: string | null
  created_at: string
}

/** A session of the web app: of the value of its cookie only the hash is kept. */
export interface SessionRow {
  id: string
  hash: string
  user_id: string
  /** The workspace in which it stands. */
  workspace_id: string
  user_agent: string
  /** How the person showed who it is (`SIGN_IN_MEANS`); null for sessions from before that was kept. */
  signed_in_by: Generated<string | null>
  /** 1: by two factors. */
  two_factors: Generated<number>
  created_at: string
  /** At most two minutes behind. */
  last_used_at: string
  expires_at: string
}

/** A link by which a person may choose another password, once. */
export interface PasswordResetRow {
  hash: string
  user_id: string
  created_at: string
  expires_at: string
}

/** Failed attempts at a password, by a hash of whom they are counted for. */
export interface AttemptsRow {
  subject: string
  /** JSON array of milliseconds since 1970, in ascending order. */
  failed_at: string
  blocked_until: string
  kept_until: string
}

/** An invitation that is neither accepted nor taken back; one for an address at a time. */
export interface InvitationRow {
  workspace_id: string
  id: string
  email: string
  role: Role
  /** JSON array of the projects whose people lists a guest will join. */
  project_ids: string
  invited_by_id: string
  hash: string
  expires_at: string
  created_at: string
}

/** What was asked by a credential in the minute that begins at `at`. */
export interface RequestCountRow {
  workspace_id: string
  at: string
  /** '' for all beyond the busiest. */
  credential_id: string
  credential_type: string
  name: string
  used: number
  /** Answered 429. */
  refused: number
}

/** An application of a third party that acts for persons, or asks them to be allowed to. */
export interface ApplicationRow {
  id: string
  /** Null: of the whole installation. */
  workspace_id: string | null
  name: string
  description: string | null
  homepage_url: string | null
  type: 'confidential' | 'public'
  distribution: 'private' | 'public'
  /** JSON array, as given. */
  redirect_uris: string
  /** JSON array, sorted: what it may ask for. */
  scopes: string
  /** Of a confidential application. */
  secret_hash: string | null
  secret_hint: string | null
  created_by_id: string | null
  created_at: string
  updated_at: string
}

/** What a person allows an application to do in a workspace, until it ends. */
export interface GrantRow {
  id: string
  workspace_id: string
  user_id: string
  application_id: string
  /** JSON array, sorted. */
  scopes: string
  created_at: string
  last_used_at: string | null
  /** When the last of its tokens ends, or shortly, before there is one. */
  expires_at: string
}

/** What the authorization server keeps, found by the hash of its value. */
export interface OAuthRecordRow {
  /** `Interaction`, `AuthorizationCode`, `AccessToken` or `RefreshToken`, as the library names it. */
  kind: string
  hash: string
  grant_id: string | null
  /** Of a refresh token: the one that it replaces. */
  parent_hash: string | null
  /** Of an interaction: the session in which it is answered. */
  session_id: string | null
  /** JSON, without the value. */
  payload: string
  used_at: string | null
  /** 1: a refresh token that may not be used again, not even shortly. */
  ended: number
  expires_at: string
}
