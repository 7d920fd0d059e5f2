import { bumpAuthVersion } from '#auth/auth-version.ts'
import {
  enableTotp,
  hasSecondFactor,
  prepareTotp,
  removeTotp,
  replaceRecoveryCodes,
} from '#auth/second-factor/second-factor.ts'
import { assertSessionActive } from '#auth/sessions/session-confirmation.ts'
import { notifyOfSecurityChange } from '#auth/users/email-confirmation.ts'
import { ANONYMOUS_ACTOR, createUserActor } from '#core/actor.ts'
import { conflict, validationFailed } from '#core/api-error.ts'
import { type ActionContext, type ActionDeps, sessionAction } from '#core/session-action.ts'
import { INSTALLATION_AUDIT_LOG } from '#wire/audit-actions.ts'
import type { Endpoint } from '#wire/endpoint.ts'
import { fieldError } from '#wire/field-error.ts'
import * as contract from '../internal.ts'
import { assertSecondFactorShown, reauthenticate } from '../sign-in/reauthentication.ts'
import { createDeviceToken, serializeDeviceCookie } from '../sign-in/start-session.ts'
import {
  recordSecondFactorShown,
  verifyCodeIfEnabled,
  wrongSecondFactorCode,
} from './verify-second-factor.ts'

export const prepareSecondFactorAction = sessionAction(
  contract.prepareSecondFactor,
  async (deps, context) => {
    const { id, email } = await reauthenticate(deps, context, context.body.current_password)
    await assertPasskeyShown(deps, context, id)
    const issuer = `Docket ${new URL(deps.baseUrl).host}`.replace(':', ' ')
    const totp = await deps.storage.write(createUserActor(id), async (tx) => {
      await assertSessionActive(tx, context.actor)
      return prepareTotp(tx, { user_id: id, email, issuer })
    })
    if (!totp)
      throw conflict(
        'second_factor_enabled',
        'Your account already uses two-factor authentication. Turn it off first.',
      )
    return { reply: { ...totp, qr: await toQrCode(totp.uri) } }
  },
)

export const enableSecondFactorAction = sessionAction(
  contract.enableSecondFactor,
  async (deps, context) => {
    const user_id = context.actor.user_id
    await assertPasskeyShown(deps, context, user_id)
    const enabled = await deps.storage.write(createUserActor(user_id), async (tx) => {
      await assertSessionActive(tx, context.actor)
      const recovery_codes = await enableTotp(tx, user_id, context.body.code)
      if (!recovery_codes) return undefined
      await recordSecondFactorShown(tx, context.actor)
      await notifyOfSecurityChange(tx, user_id, 'second_factor_enabled')
      // The former device token was issued before there was a second factor.
      return { recovery_codes, device: createDeviceToken(deps.deviceKey, user_id, tx.nowMs) }
    })
    if (!enabled) {
      const message = 'is wrong or was already used; wait for the next code'
      throw validationFailed(fieldError('code', 'invalid_value', message))
    }
    const { recovery_codes, device } = enabled
    return { reply: { recovery_codes }, cookies: [serializeDeviceCookie(deps.baseUrl, device)] }
  },
)

export const renewRecoveryCodesAction = sessionAction(
  contract.renewRecoveryCodes,
  async (deps, context) => {
    const { current_password, code } = context.body
    const { id } = await reauthenticate(deps, context, current_password)
    if (!(await verifyCodeIfEnabled(deps, context, id, code))) throw wrongSecondFactorCode()
    const recovery_codes = await deps.storage.write(createUserActor(id), async (tx) => {
      await assertSessionActive(tx, context.actor)
      tx.audit('recovery_codes.renewed', id, {}, INSTALLATION_AUDIT_LOG)
      await notifyOfSecurityChange(tx, id, 'recovery_codes_renewed')
      return replaceRecoveryCodes(tx, id)
    })
    return { reply: { recovery_codes } }
  },
)

export const disableSecondFactorAction = sessionAction(
  contract.disableSecondFactor,
  async (deps, context) => {
    const { current_password, code } = context.body
    const { id } = await reauthenticate(deps, context, current_password)
    if (!(await verifyCodeIfEnabled(deps, context, id, code))) throw wrongSecondFactorCode()
    await deps.storage.write(createUserActor(id), async (tx) => {
      await assertSessionActive(tx, context.actor)
      if (!(await removeTotp(tx, id))) return
      tx.audit('second_factor.disabled', id, {}, INSTALLATION_AUDIT_LOG)
      await notifyOfSecurityChange(tx, id, 'second_factor_disabled')
      await bumpAuthVersion(tx)
    })
    return { reply: {} }
  },
)

/**
 * A user with a passkey must have shown it to set up TOTP. If TOTP is enabled already, the caller
 * rejects the request for that reason.
 */
async function assertPasskeyShown(
  deps: ActionDeps,
  context: ActionContext<Endpoint>,
  id: string,
): Promise<void> {
  const hasTotp = await deps.storage.read(ANONYMOUS_ACTOR, (tx) => hasSecondFactor(tx, id))
  if (!hasTotp) await assertSecondFactorShown(deps, context)
}

/**
 * Returns the dark squares as the `d` of an SVG path. The content security policy forbids other
 * image types.
 */
async function toQrCode(text: string): Promise<{ size: number; path: string }> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const runs = data.flatMap((cells, y) =>
    cells.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  )
  return { size, path: runs.join('') }
}
