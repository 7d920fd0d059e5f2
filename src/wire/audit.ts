/** The chain of what is of no workspace: accounts and the installation itself. */
export const INSTALLATION = 'installation'

/**
 * What the audit log tells, by its names, and what of an act it keeps beside who, when and about what.
 * Ids and values from closed sets only, never what people write: an entry must outlive their erasure.
 */
export interface AuditDetails {
  'session.created': { user_id: string; by: SignInMeans | null; factors: 1 | 2 }
  'session.moved': { user_id: string }
  'session.ended': { user_id: string; reason: 'signed_out' | 'ended' | 'replaced' | 'too_many' }
  'session.failed': Nothing
  'password.changed': { sessions_ended: number }
  'email.changed': Nothing
  'second_factor.enabled': Nothing
  'second_factor.disabled': Nothing
  'second_factor.cleared': { sessions_ended: number }
  'recovery_codes.renewed': Nothing
  'recovery_code.used': Nothing
  'passkey.added': { user_id: string }
  'passkey.removed': { user_id: string }
  'passkey.refused': { user_id: string }
  'company.linked': Nothing
  'company.unlinked': Nothing
  'sign_in_link.created': Nothing
  'person.erased': Nothing
  'api_key.created': { user_id: string; scopes: readonly string[]; expires_at: string | null }
  'api_key.revoked': { user_id: string }
  'invitation.created': { role: string; project_ids: readonly string[] }
  'invitation.deleted': Nothing
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
  'workspace.closed': Nothing
  'workspace.restored': Nothing
  'workspace.deleted': Nothing
  'workspace.exported': Nothing
  'workspace.imported': Nothing
  'import.started': { kind: string }
  'import.undone': Nothing
  'export.started': Nothing
  'export.downloaded': Nothing
  'webhook.created': { events: readonly string[]; project_ids: readonly string[] | null }
  'webhook.updated': { changed: readonly string[] }
  'webhook.secret_rotated': Nothing
  'webhook.enabled': Nothing
  'webhook.disabled': { reason: 'manual' | 'gone' | 'failures' }
  'webhook.deleted': Nothing
  'application.created': { type: string; distribution: string; scopes: readonly string[] }
  'application.updated': {
    changed: readonly string[]
    distribution: string
    scopes: readonly string[]
  }
  'application.secret_rotated': Nothing
  'application.deleted': Nothing
  'grant.created': { user_id: string; application_id: string; scopes: readonly string[] }
  'grant.ended': Nothing
  'project.visibility_changed': { from: string; to: string }
  'project.lead_changed': { from: string | null; to: string | null }
  'project.person_added': { user_id: string }
  'project.person_removed': { user_id: string }
  'backup.started': { with_secret: boolean }
  'sending.paused': Nothing
  'sending.resumed': Nothing
  'audit.purged': { sequence: number; hash: string }
}

/** By what a person shows who it is, at a door to a session. */
export type SignInMeans = (typeof SIGN_IN_MEANS)[number]
export const SIGN_IN_MEANS = ['password', 'passkey', 'company', 'link', 'sign_up'] as const

export type AuditAction = keyof AuditDetails
type Nothing = Record<never, never>

/** The same in words. */
export const AUDIT_WORDS: Record<AuditAction, string> = {
  'session.created': 'somebody signed in',
  'session.moved': 'a session came here from another workspace of its person',
  'session.ended': 'a session was ended before its time',
  'session.failed':
    'a sign-in to an account failed; at most three are told in a quarter of an hour',
  'password.changed': 'an account was given a password; its other sessions ended',
  'email.changed': 'an account was given another e-mail address',
  'second_factor.enabled': 'a person signs in with a second factor from then on',
  'second_factor.disabled': 'a person gave up the second factor',
  'second_factor.cleared': 'an operator took a lost second factor away; the sessions ended',
  'recovery_codes.renewed': 'a person got new recovery codes',
  'recovery_code.used': 'a recovery code stood in for the second factor',
  'passkey.added': 'a person made a passkey',
  'passkey.removed': 'a passkey was ended',
  'passkey.refused': 'a passkey counted backwards: it may have been copied, and opened nothing',
  'company.linked': 'an account was linked to a person of the company’s provider',
  'company.unlinked': 'that link was ended',
  'sign_in_link.created': 'an operator made a link that signs a person in once',
  'person.erased': 'an account was erased: its name and address are nowhere any more',
  'api_key.created': 'an API key was made',
  'api_key.revoked': 'an API key was ended',
  'invitation.created': 'somebody was invited',
  'invitation.deleted': 'an invitation was taken back',
  'invitation.accepted': 'an invitation was accepted',
  'member.added': 'somebody became a member',
  'member.role_changed': 'a member was given another role',
  'member.removed': 'a membership was ended, with its keys, grants and sessions',
  'workspace.created': 'a workspace was made',
  'workspace.updated':
    'the settings, the plan or the demand for a second factor of a workspace were changed',
  'workspace.closed': 'an owner deleted the workspace, which can be restored for a while',
  'workspace.restored': 'the workspace was restored',
  'workspace.deleted': 'a workspace was given up, and is being erased',
  'workspace.exported': 'the data of a workspace was exported',
  'workspace.imported': 'the workspace was made of an archive',
  'import.started': 'a file of another tool began to be brought in; its kind',
  'import.undone': 'what was brought in was taken back',
  'export.started': 'an archive of the workspace began to be made',
  'export.downloaded': 'an archive of the workspace, or a part of it, was sent to an owner',
  'webhook.created': 'a webhook was made',
  'webhook.updated': 'a webhook was changed',
  'webhook.secret_rotated': 'a webhook was given another secret',
  'webhook.enabled': 'a webhook was enabled again',
  'webhook.disabled': 'a webhook was disabled, by a person or because it only failed',
  'webhook.deleted': 'a webhook was deleted',
  'application.created': 'an application was registered',
  'application.updated': 'an application was changed',
  'application.secret_rotated': 'an application was given another secret',
  'application.deleted': 'an application was deleted, with all that it was allowed',
  'grant.created': 'a person allowed an application to act',
  'grant.ended': 'what an application was allowed was ended',
  'project.visibility_changed': 'a project was made private, or open to the workspace',
  'project.lead_changed': 'a project was given another lead',
  'project.person_added': 'somebody was put into the people list of a project',
  'project.person_removed': 'somebody was taken out of the people list of a project',
  'backup.started': 'a backup of everything was begun',
  'sending.paused': 'webhooks were paused for the whole installation',
  'sending.resumed': 'webhooks are sent from here again',
  'audit.purged': 'entries up to this one were older than they are kept',
}

/** All of them, in the order in which they are told. */
export const AUDIT_ACTIONS = Object.keys(AUDIT_WORDS) as AuditAction[]
