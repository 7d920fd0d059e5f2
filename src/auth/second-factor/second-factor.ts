import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { ApiError } from '#core/api-error.ts'
import { nextUpdatedAt } from '#core/next-updated-at.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { command, pickSlots, query, type Scoped, unscopedQuery } from '#db/core/statement.ts'
import { newRecoveryCode } from '#lib/token.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import { bumpAuthVersion } from '../auth-version.ts'
import { listPasskeys, removeAllPasskeys } from '../passkeys/passkeys.ts'
import {
  clearAttempts,
  countSecondFactorGuesses,
  limitBySecondFactor,
} from '../sign-in/attempt-limits.ts'
import { removeUserSessions } from '../users/accounts.ts'
import * as store from './second-factor-store.ts'

const PERIOD_S = 30
const RECOVERY_CODE_COUNT = 10

/** The kind of code that was used as second factor. */
type SecondFactorProof = 'code' | 'recovery_code'

/** Whether TOTP is enabled for a user. */
export const hasSecondFactor = async (tx: ReadTx, user_id: string): Promise<boolean> =>
  (await secondFactorSince(tx, user_id)) !== null

/** When a user has enabled TOTP; null if it is not enabled. */
export async function secondFactorSince(tx: ReadTx, user_id: string): Promise<string | null> {
  return (await tx.one(store.totpOfUser, { user_id }))?.enabled_at ?? null
}

/** Loads the state of a user's second factor, to be shown to that user. */
export async function loadSecondFactorStatus(tx: ReadTx, user_id: string) {
  const enabled_at = await secondFactorSince(tx, user_id)
  const codes = await tx.all(store.recoveryCodesOfUser, { user_id })
  return { enabled_at, recovery_codes_left: codes.length }
}

/**
 * Creates a pending TOTP secret and its `otpauth:` URI for an authenticator app. It takes effect
 * after a code of it was entered. Returns undefined if TOTP is enabled already.
 */
export async function prepareTotp(
  tx: WriteTx,
  { user_id, email, issuer }: { user_id: string; email: string; issuer: string },
): Promise<{ secret: string; uri: string } | undefined> {
  const secret = new Secret({ size: 20 })
  const sealed_secret = tx.encrypt(`${user_id} ${secret.base32}`)
  const row = { user_id, sealed_secret, last_step: 0, created_at: tx.now }
  if ((await tx.run(store.upsertPendingTotp, row)) === 0) return undefined
  const totp = new TOTP({ issuer, label: email, secret, period: PERIOD_S })
  return { secret: secret.base32, uri: totp.toString() }
}

/** Enables TOTP if the code is right, and returns the recovery codes. */
export async function enableTotp(
  tx: WriteTx,
  user_id: string,
  code: string,
): Promise<string[] | undefined> {
  const totpRow = await tx.one(store.totpOfUser, { user_id })
  if (!totpRow || totpRow.enabled_at !== null) return undefined
  if (!(await consumeTotpCode(tx, user_id, code))) return undefined
  await tx.run(store.markTotpEnabled, { user_id, enabled_at: tx.now })
  // Nobody has guessed at the new secret yet.
  await clearAttempts(tx, limitBySecondFactor(user_id))
  await clearAttempts(tx, countSecondFactorGuesses(user_id))
  tx.audit('second_factor.enabled', user_id, {}, INSTALLATION_AUDIT_LOG)
  return replaceRecoveryCodes(tx, user_id)
}

/** Replaces all recovery codes. They are returned only this once: only their hashes are stored. */
export async function replaceRecoveryCodes(tx: WriteTx, user_id: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode)
  await tx.run(store.removeRecoveryCodes, { user_id })
  await tx.runEach(
    store.insertRecoveryCode,
    codes.map((code) => ({ user_id, hash: hashRecoveryCode(code) })),
  )
  return codes
}

/** Disables TOTP. Returns whether it was enabled. */
export async function removeTotp(tx: WriteTx, user_id: string): Promise<boolean> {
  const wasEnabled = await hasSecondFactor(tx, user_id)
  await tx.run(store.deleteTotp, { user_id })
  await tx.run(store.removeRecoveryCodes, { user_id })
  return wasEnabled
}

/**
 * For users who have lost their second factor: removes TOTP, or without TOTP all passkeys, and ends
 * all sessions. Returns false if there was neither.
 */
export async function clearSecondFactors(tx: WriteTx, user_id: string): Promise<boolean> {
  if (!(await removeTotp(tx, user_id))) {
    if ((await listPasskeys(tx, user_id)).length === 0) return false
    await removeAllPasskeys(tx, user_id)
  }
  const sessions_ended = await tx.run(removeUserSessions, { user_id })
  tx.audit('second_factor.cleared', user_id, { sessions_ended }, INSTALLATION_AUDIT_LOG)
  await bumpAuthVersion(tx)
  return true
}

/** Consumes a TOTP or recovery code. Returns undefined if it is neither, or was used before. */
export async function consumeSecondFactorCode(
  tx: WriteTx,
  user_id: string,
  input: string,
): Promise<SecondFactorProof | undefined> {
  if (await consumeTotpCode(tx, user_id, input)) return 'code'
  const removedRows = await tx.run(store.removeRecoveryCode, {
    user_id,
    hash: hashRecoveryCode(input),
  })
  if (removedRows === 0) return undefined
  tx.audit('recovery_code.used', user_id, {}, INSTALLATION_AUDIT_LOG)
  return 'recovery_code'
}

/**
 * Accepts the code of the current, previous or next step, but none up to the last used step (RFC
 * 6238 §5.2).
 */
async function consumeTotpCode(tx: WriteTx, user_id: string, input: string): Promise<boolean> {
  const token = input.replace(/\s/g, '')
  const totpRow = await tx.one(store.totpOfUser, { user_id })
  if (!totpRow || !/^\d{6}$/.test(token)) return false
  const [owner, secret = ''] = tx.decrypt(totpRow.sealed_secret).split(' ')
  if (owner !== user_id) return false
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_S })
  const delta = totp.validate({ token, timestamp: tx.nowMs, window: 1 })
  if (delta === null) return false
  const step = Math.floor(tx.nowMs / 1000 / PERIOD_S) + delta
  return (await tx.run(store.advanceTotpStep, { user_id, step })) === 1
}

/** Recovery codes are typed from paper, so case, spaces and hyphens do not matter. */
const hashRecoveryCode = (code: string): string =>
  hash('sha256', `recovery ${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`)

/** Whether a workspace requires its members to sign in with a second factor. */
type SecondFactorPolicy = 'optional' | 'required'

/**
 * Loads the policy of the transaction's workspace, and how many of its members have no second
 * factor.
 */
export async function loadSecondFactorPolicy(
  tx: ReadTx,
): Promise<{ second_factor: SecondFactorPolicy; without: number }> {
  const second_factor = toPolicy((await tx.one(policyOfTxWorkspace, {}))?.requires)
  return { second_factor, without: (await tx.one(memberCountWithoutSecondFactor, {}))?.count ?? 0 }
}

/**
 * Requires a second factor of all members or of nobody. Setting the present policy again changes
 * nothing.
 */
export async function changeSecondFactorPolicy(
  tx: WriteTx,
  policy: SecondFactorPolicy,
): Promise<void> {
  const workspace = await tx.one(policyOfTxWorkspace, {})
  const from = toPolicy(workspace?.requires)
  if (!workspace || from === policy) return
  const updated_at = nextUpdatedAt(tx, workspace.updated_at)
  const requires_second_factor = policy === 'required' ? 1 : 0
  await tx.run(updatePolicy, { requires_second_factor, updated_at })
  const second_factor = { from, to: policy }
  tx.audit('workspace.updated', tx.actor.workspace_id, {
    changed: ['second_factor'],
    second_factor,
  })
  await bumpAuthVersion(tx)
}

/** Whether a workspace requires a second factor. */
export const isSecondFactorRequired = async (tx: ReadTx, id: string): Promise<boolean> =>
  (await tx.one(policyOfWorkspace, { id }))?.requires === 1

/** Whether any workspace of a user requires a second factor. */
export const isSecondFactorRequiredOfUser = async (tx: ReadTx, user_id: string): Promise<boolean> =>
  (await tx.one(requiringWorkspaceOfUser, { user_id })) !== undefined

/** The error for a session with one factor in a workspace that requires two. */
export const secondFactorMissing = () =>
  new ApiError(
    403,
    'second_factor_missing',
    'This workspace requires two-factor authentication. Set it up, or sign in again with it.',
  )

const toPolicy = (requires: number | undefined): SecondFactorPolicy =>
  requires === 1 ? 'required' : 'optional'

const policyOfTxWorkspace = query((db) =>
  db.selectFrom('workspaces').select(['requires_second_factor as requires', 'updated_at']),
)

const policyOfWorkspace = unscopedQuery((db, $: { id: string }) =>
  db.selectFrom('workspaces').select('requires_second_factor as requires').where('id', '=', $.id),
)

const requiringWorkspaceOfUser = unscopedQuery((db, $: { user_id: string }) =>
  db
    .selectFrom('memberships')
    .innerJoin('workspaces', 'workspaces.id', 'memberships.workspace_id')
    .select('workspaces.id')
    .where('memberships.user_id', '=', $.user_id)
    .where('memberships.removed_at', 'is', null)
    .where('workspaces.requires_second_factor', '=', 1)
    .limit(1),
)

const updatePolicy = command(
  (db, $: Scoped<{ requires_second_factor: number; updated_at: string }>) =>
    db.updateTable('workspaces').set(pickSlots($, 'requires_second_factor', 'updated_at')),
)

/**
 * Members with an SSO link need no second factor here: the company's provider is responsible for
 * that.
 */
const memberCountWithoutSecondFactor = query((db) =>
  db
    .selectFrom('memberships')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('removed_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('second_factors')
            .select('second_factors.user_id')
            .whereRef('second_factors.user_id', '=', 'memberships.user_id')
            .where('enabled_at', 'is not', null),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('passkeys')
            .select('passkeys.id')
            .whereRef('passkeys.user_id', '=', 'memberships.user_id'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('company_links')
            .select('company_links.user_id')
            .whereRef('company_links.user_id', '=', 'memberships.user_id'),
        ),
      ),
    ),
)
