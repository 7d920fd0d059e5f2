import type { SsoClaims } from '#core/sso-provider.ts'

/** Who has signed in, by the claims of the provider. An address counts only if it is verified. */
export function parseClaims(
  raw: Record<string, unknown>,
  issuer: string,
  subject: string,
): SsoClaims {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '')
  // Some providers send this boolean as a string.
  const isVerified =
    raw.email_verified === true || raw.email_verified === 'true' || isVerifiedByEntra(raw, issuer)
  const email = isVerified ? text(raw.email).toLowerCase() : ''
  const name = text(raw.name) || text(raw.preferred_username) || email.split('@')[0] || 'Somebody'
  const isEmail = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && email.length <= 254
  return {
    issuer,
    subject,
    email: isEmail ? email : null,
    name: [...name.replace(/\p{Cc}/gu, ' ')].slice(0, 100).join(''),
  }
}

/** Entra ID uses the claim `xms_edov` for whether the domain of the address is verified. */
const isVerifiedByEntra = ({ xms_edov }: Record<string, unknown>, issuer: string): boolean =>
  issuer.startsWith('https://login.microsoftonline.com/') && /^(true|1)$/.test(String(xms_edov))
