import { ApiError } from '#core/api-error.ts'
import type { ActionDeps } from '#core/session-action.ts'

/**
 * Throws 403 `company_sign_in_only` if this installation allows no sign-in method other than SSO.
 */
export function assertNotSsoOnly({ ssoProvider }: Pick<ActionDeps, 'ssoProvider'>): void {
  if (!ssoProvider?.isOnlySignIn) return
  const message = `Sign in with ${ssoProvider.name}. This installation allows no other way.`
  throw new ApiError(403, 'company_sign_in_only', message)
}
