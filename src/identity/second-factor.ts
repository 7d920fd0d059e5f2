import { hash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { ReadTx, WriteTx } from '#core/tx.ts'
import { newRecoveryCode } from '#lib/token.ts'
import { INSTALLATION } from '#wire/audit.ts'
import { removeSessionsOf } from './account.ts'
import { advanceGeneration } from './generation.ts'
import { passkeysOf, removePasskeys } from './passkeys.ts'
import * as store from './second-factor-store.ts'

const PERIOD_S = 30
const RECOVERY_CODES = 10

/** By what a second factor was shown. */
export type Shown = 'code' | 'recovery_code'

/** Whether a person signs in with a second factor. */
export async function hasSecondFactor(tx: ReadTx, user_id: string): Promise<boolean> {
  const factor = await tx.one(store.factorOf, { user_id })
  return factor !== undefined && factor.enabled_at !== null
}

/** What a person sees of the own second factor. */
export async function secondFactorOf(tx: ReadTx, user_id: string) {
  const enabled_at = (await tx.one(store.factorOf, { user_id }))?.enabled_at ?? null
  const codes = await tx.all(store.codesOf, { user_id })
  return { enabled_at, recovery_codes_left: codes.length }
}

/**
 * Makes a new secret that counts once a code of it was shown: its `otpauth:` address, for an
 * application that makes codes. Undefined where a second factor is in use already.
 */
export async function prepareFactor(
  tx: WriteTx,
  { user_id, email, issuer }: { user_id: string; email: string; issuer: string },
): Promise<{ secret: string; uri: string } | undefined> {
  const secret = new Secret({ size: 20 })
  const sealed_secret = tx.seal(`${user_id} ${secret.base32}`)
  const made = { user_id, sealed_secret, last_step: 0, created_at: tx.now }
  if ((await tx.run(store.putFactor, made)) === 0) return undefined
  const totp = new TOTP({ issuer, label: email, secret, period: PERIOD_S })
  return { secret: secret.base32, uri: totp.toString() }
}

/** The second factor counts from now on, if this is a code of it: gives the recovery codes. */
export async function enableFactor(
  tx: WriteTx,
  user_id: string,
  code: string,
): Promise<string[] | undefined> {
  const factor = await tx.one(store.factorOf, { user_id })
  if (!factor || factor.enabled_at !== null) return undefined
  if (!(await isCode(tx, user_id, code))) return undefined
  await tx.run(store.enableFactor, { user_id, enabled_at: tx.now })
  tx.audit('second_factor.enabled', user_id, {}, INSTALLATION)
  return renewCodes(tx, user_id)
}

/** New recovery codes in place of those that are left. They are told here and never again. */
export async function renewCodes(tx: WriteTx, user_id: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
  await tx.run(store.removeCodes, { user_id })
  await tx.each(
    store.insertCode,
    codes.map((code) => ({ user_id, hash: hashOfCode(code) })),
  )
  return codes
}

/** Takes the second factor away. Tells whether there was one. */
export async function removeFactor(tx: WriteTx, user_id: string): Promise<boolean> {
  const wasThere = await hasSecondFactor(tx, user_id)
  await tx.run(store.removeFactor, { user_id })
  await tx.run(store.removeCodes, { user_id })
  return wasThere
}

/**
 * For whoever has lost the second factor: the codes go, where there are none the passkeys, and with them all
 * sessions. False: there was neither.
 */
export async function clearFactor(tx: WriteTx, user_id: string): Promise<boolean> {
  if (!(await removeFactor(tx, user_id))) {
    if ((await passkeysOf(tx, user_id)).length === 0) return false
    await removePasskeys(tx, user_id)
  }
  const sessions_ended = await tx.run(removeSessionsOf, { user_id })
  tx.audit('second_factor.cleared', user_id, { sessions_ended }, INSTALLATION)
  await advanceGeneration(tx)
  return true
}

/** Uses up a code of the application, or a recovery code; undefined: it is neither, or was used. */
export async function useCode(
  tx: WriteTx,
  user_id: string,
  given: string,
): Promise<Shown | undefined> {
  if (await isCode(tx, user_id, given)) return 'code'
  const used = await tx.run(store.removeCode, { user_id, hash: hashOfCode(given) })
  if (used === 0) return undefined
  tx.audit('recovery_code.used', user_id, {}, INSTALLATION)
  return 'recovery_code'
}

/** Of now, or of the step before or after, and of none up to the last that was used. */
async function isCode(tx: WriteTx, user_id: string, given: string): Promise<boolean> {
  const token = given.replace(/\s/g, '')
  const factor = await tx.one(store.factorOf, { user_id })
  if (!factor || !/^\d{6}$/.test(token)) return false
  const [owner, secret = ''] = tx.unseal(factor.sealed_secret).split(' ')
  if (owner !== user_id) return false
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: PERIOD_S })
  const delta = totp.validate({ token, timestamp: tx.instant, window: 1 })
  if (delta === null) return false
  const step = Math.floor(tx.instant / 1000 / PERIOD_S) + delta
  return (await tx.run(store.useStep, { user_id, step })) === 1
}

/** They are typed from paper: case, spaces and hyphens do not matter. */
const hashOfCode = (code: string): string =>
  hash('sha256', `recovery ${code.toLowerCase().replace(/[^0-9a-z]/g, '')}`)
