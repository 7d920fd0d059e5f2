import { type PreparedPassword, preparePassword } from '#auth/users/accounts.ts'
import { validationFailed } from '#core/api-error.ts'
import { isTimezone } from '#lib/days.ts'
import { fieldError } from '#wire/field-error.ts'
import { validatePassword } from '#wire/password-policy.ts'
import { MultilineText, SingleLineText, StringEnum } from '#wire/schema-builders.ts'
import { isScope, SCOPE_PRESETS, type Scope } from '#wire/scopes.ts'
import { readNewPassword } from './new-password.ts'

// Options that several commands share.

/** The value of a password option that has none. It is too short for a password. */
const FROM_STANDARD_INPUT = '-'

/** A malformed id is not rejected here: no record has it, so the command responds with 404. */
export const IdOption = (what: string) =>
  SingleLineText(1, 64, { description: `Id of the ${what}` })
export const PathOption = (description: string) => SingleLineText(1, 4_096, { description })
export const NameOption = SingleLineText(1, 100, { description: 'Name' })
export const EmailOption = SingleLineText(1, 254, { description: 'Email address' })
/** Without a value it is read from standard input: other users of the machine can list arguments. */
export const PasswordOption = MultilineText(0, 1_024, {
  description:
    'Password; without a value it is read from standard input, and without the option a random one is generated and printed',
  'x-default-value': FROM_STANDARD_INPUT,
})
export const TimezoneOption = SingleLineText(1, 64, {
  description: 'Time zone, such as Europe/Zurich',
})
export const PlanOption = StringEnum(['free', 'paid'])
export const ScopesOption = SingleLineText(1, 1_000, {
  description: 'full, read_only, or a comma-separated list of scopes',
})
export const RateLimitOption = SingleLineText(1, 20, {
  description: 'Requests per minute of the key, below those of the workspace, or none',
})
export const VisibilityOption = StringEnum(['workspace', 'private'])

export function assertTimezone(timezone: string, option: string): void {
  if (isTimezone(timezone)) return
  throw validationFailed(
    fieldError(option, 'invalid_value', 'must be a time zone, such as Europe/Zurich'),
  )
}

/** Checks and hashes the given password, or makes one. Hashing must not happen in a transaction. */
export async function preparePasswordOption(
  value: string | undefined,
  option: string,
): Promise<PreparedPassword> {
  const password =
    value === FROM_STANDARD_INPUT ? await readNewPassword(!process.stdin.isTTY) : value
  const passwordFault = password === undefined ? undefined : validatePassword(option, password)
  if (passwordFault) throw validationFailed(passwordFault)
  return preparePassword(password)
}

/** Parses a rate limit; null for `none`. Throws 422 for anything but a positive whole number. */
export function parseRateLimitOption(text: string): number | null {
  if (text === 'none') return null
  const limit = Number(text)
  if (/^[1-9]\d*$/.test(text) && Number.isSafeInteger(limit)) return limit
  const why = 'must be a whole number of requests per minute, such as 100, or none'
  throw validationFailed(fieldError('rate-limit', 'invalid_value', why))
}

/** Parses a preset or a list of scopes. Throws 422 for unknown scopes. */
export function parseScopesOption(text: string): readonly Scope[] {
  if (text === 'full' || text === 'read_only') return SCOPE_PRESETS[text]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length === 0) return names.filter(isScope)
  const why = `must be full, read_only or a comma-separated list of scopes; unknown: ${unknown.join(', ')}`
  throw validationFailed(fieldError('scopes', 'invalid_value', why))
}
