import type { Supervision } from './supervision.ts'

/** The audit log of what belongs to no workspace: accounts and the installation itself. */
export const INSTALLATION_AUDIT_LOG = 'installation'

/**
 * The actions of the audit log and their details beside actor, time and subject. Only ids and
 * values of closed sets, never text that users write: an entry must stay valid after their erasure.
 * Only sign-ins have the IP address of the client, which goes with the entry.
 */
export interface AuditDetails {
  'session.created': {
    user_id: string
    by: SignInMethod | null
    factors: 1 | 2
    address: string | null
  }
  'session.moved': { user_id: string }
  'session.ended': { user_id: string; reason: 'signed_out' | 'ended' | 'replaced' | 'too_many' }
  'session.failed': { address: string | null }
  'password.changed': { sessions_ended: number }
  'email.changed': NoDetails
  'second_factor.enabled': NoDetails
  'second_factor.disabled': NoDetails
  'second_factor.cleared': { sessions_ended: number }
  'recovery_codes.renewed': NoDetails
  'recovery_code.used': NoDetails
  'passkey.added': { user_id: string }
  'passkey.removed': { user_id: string }
  'passkey.refused': { user_id: string }
  'company.linked': NoDetails
  'company.unlinked': NoDetails
  'sign_in_link.created': NoDetails
  'person.erased': NoDetails
  'api_key.created': {
    user_id: string
    scopes: readonly string[]
    expires_at: string | null
    rate_limit: number | null
  }
  'api_key.updated': {
    user_id: string
    rate_limit: { from: number | null; to: number | null }
  }
  'api_key.revoked': { user_id: string }
  'credential.supervised': { supervision: Supervision | null }
  'credential.allowed': { allowed_until: string }
  'credential.paused': NoDetails
  'credential.resumed': NoDetails
  'invitation.created': { role: string; project_ids: readonly string[] }
  'invitation.deleted': NoDetails
  'invitation.accepted': { user_id: string }
  'member.added': { role: string }
  'member.role_changed': { from: string; to: string }
  'member.removed': {
    role: string
    keys_ended: number
    grants_ended: number
    sessions_ended: number
  }
  'workspace.created': { plan: string }
  'workspace.updated': {
    changed: readonly string[]
    plan?: { from: string; to: string }
    second_factor?: { from: string; to: string }
  }
  'workspace.closed': NoDetails
  'workspace.restored': NoDetails
  'workspace.deleted': NoDetails
  'workspace.exported': NoDetails
  'workspace.imported': NoDetails
  'import.started': { kind: string }
  'import.undone': NoDetails
  'export.started': NoDetails
  'export.downloaded': NoDetails
  'webhook.created': { events: readonly string[]; project_ids: readonly string[] | null }
  'webhook.updated': { changed: readonly string[] }
  'webhook.secret_rotated': NoDetails
  'webhook.enabled': NoDetails
  'webhook.disabled': { reason: 'manual' | 'gone' | 'failures' }
  'webhook.deleted': NoDetails
  'application.created': { type: string; distribution: string; scopes: readonly string[] }
  'application.updated': {
    changed: readonly string[]
    distribution: string
    scopes: readonly string[]
  }
  'application.secret_rotated': NoDetails
  'application.deleted': NoDetails
  'grant.created': { user_id: string; application_id: string; scopes: readonly string[] }
  'grant.ended': NoDetails
  'grant.refresh_repeated': NoDetails
  'grant.branch_refused': NoDetails
  'grant.refresh_reused': NoDetails
  'grant.refresh_shared': NoDetails
  'project.visibility_changed': { from: string; to: string }
  'project.lead_changed': { from: string | null; to: string | null }
  'project.person_added': { user_id: string }
  'project.person_removed': { user_id: string }
  'backup.started': { with_secret: boolean }
  'secret.renewed': { sessions_ended: number }
  'sending.paused': NoDetails
  'sending.resumed': NoDetails
  'audit.purged': { sequence: number }
}

/** The way in which a user signed in. */
export type SignInMethod = (typeof SIGN_IN_METHODS)[number]
export const SIGN_IN_METHODS = ['password', 'passkey', 'company', 'link', 'sign_up'] as const

export type AuditAction = keyof AuditDetails
type NoDetails = Record<never, never>

/** Descriptions for the documentation. */
export const AUDIT_ACTION_DESCRIPTIONS: Record<AuditAction, string> = {
  'session.created': 'a person signed in',
  'session.moved': 'a session switched to this workspace',
  'session.ended': 'a session was ended before it expired',
  'session.failed': 'a sign-in to an account failed; at most three are recorded in 15 minutes',
  'password.changed': 'the password of an account was changed; its other sessions ended',
  'email.changed': 'the email address of an account was changed',
  'second_factor.enabled': 'a person turned on two-factor authentication',
  'second_factor.disabled': 'a person turned off two-factor authentication',
  'second_factor.cleared': 'an operator removed a lost second factor; the sessions ended',
  'recovery_codes.renewed': 'a person generated new recovery codes',
  'recovery_code.used': 'a recovery code was used as second factor',
  'passkey.added': 'a person added a passkey',
  'passkey.removed': 'a passkey was removed',
  'passkey.refused':
    'a passkey was refused because its counter went backwards: it may have been copied',
  'company.linked': 'an account was linked to the single sign-on provider',
  'company.unlinked': 'an account was unlinked from the single sign-on provider',
  'sign_in_link.created': 'an operator created a one-time sign-in link',
  'person.erased': 'an account was erased with its name and email address',
  'api_key.created': 'an API key was created',
  'api_key.updated': 'the rate limit of an API key was changed',
  'api_key.revoked': 'an API key was revoked',
  'credential.supervised': 'what an API key or application has to ask a person for was changed',
  'credential.allowed': 'a supervised API key or application was allowed everything for an hour',
  'credential.paused': 'an API key or application was paused',
  'credential.resumed': 'a paused API key or application was resumed',
  'invitation.created': 'a person was invited',
  'invitation.deleted': 'an invitation was withdrawn, or its inviter may no longer invite',
  'invitation.accepted': 'an invitation was accepted',
  'member.added': 'a member was added',
  'member.role_changed': 'the role of a member was changed',
  'member.removed': 'a member was removed, with their API keys, authorizations and sessions',
  'workspace.created': 'a workspace was created',
  'workspace.updated':
    'the settings, the plan or the two-factor requirement of a workspace were changed',
  'workspace.closed': 'an owner deleted the workspace, which can be restored for a while',
  'workspace.restored': 'the workspace was restored',
  'workspace.deleted': 'a workspace is being erased for good',
  'workspace.exported': 'the data of a workspace was exported',
  'workspace.imported': 'the workspace was created from an archive',
  'import.started': 'an import of a file from another tool was started',
  'import.undone': 'an import was undone',
  'export.started': 'an export of the workspace was started',
  'export.downloaded': 'an export, or a part of it, was downloaded by an owner',
  'webhook.created': 'a webhook was created',
  'webhook.updated': 'a webhook was changed',
  'webhook.secret_rotated': 'the secret of a webhook was rotated',
  'webhook.enabled': 'a webhook was enabled again',
  'webhook.disabled': 'a webhook was disabled, by a person or because it kept failing',
  'webhook.deleted': 'a webhook was deleted',
  'application.created': 'an application was registered',
  'application.updated': 'an application was changed',
  'application.secret_rotated': 'the secret of an application was rotated',
  'application.deleted': 'an application was deleted, with all its authorizations',
  'grant.created': 'a person authorized an application',
  'grant.ended': 'the authorization of an application was revoked',
  'grant.refresh_repeated':
    'a refresh token was sent again within its window, and answered (once for each token)',
  'grant.branch_refused':
    'a refresh token was refused because another one is in use; the authorization stays',
  'grant.refresh_reused':
    'a replaced refresh token was used after its window, which ended the authorization',
  'grant.refresh_shared':
    'refresh tokens were sent again from another network three times in a day, which ended the authorization',
  'project.visibility_changed': 'a project was made private, or visible to the workspace',
  'project.lead_changed': 'the lead of a project was changed',
  'project.person_added': 'a member was added to a project',
  'project.person_removed': 'a member was removed from a project',
  'backup.started': 'a backup was started',
  'secret.renewed': 'an operator replaced the secret of the installation; the sessions ended',
  'sending.paused': 'webhooks were paused for the whole installation',
  'sending.resumed': 'webhooks were resumed',
  'audit.purged': 'entries up to `sequence` had expired and were deleted',
}

/** All actions, in the order of the documentation. */
export const AUDIT_ACTIONS = Object.keys(AUDIT_ACTION_DESCRIPTIONS) as AuditAction[]
