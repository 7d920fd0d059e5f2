import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import { newRecoveryCode } from '#lib/token.ts'
import { INSTALLATION_CHAIN } from '#wire/audit-actions.ts'
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
export type SecondFactorProof = 'code' | 'recovery_code'

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
  tx.audit('second_factor.enabled', user_id, {}, INSTALLATION_CHAIN)
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
  tx.audit('second_factor.cleared', user_id, { sessions_ended }, INSTALLATION_CHAIN)
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
  tx.audit('recovery_code.used', user_id, {}, INSTALLATION_CHAIN)
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
