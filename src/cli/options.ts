import { invalid } from '#core/refusal.ts'
import { type PreparedPassword, preparePassword } from '#identity/account.ts'
import { isTimezone } from '#lib/days.ts'
import { fault } from '#wire/fault.ts'
import { faultOfPassword } from '#wire/password-rule.ts'
import { Line, OneOf, Text } from '#wire/schema.ts'
import { isScope, PRESETS, type Scope } from '#wire/scopes.ts'

/** Options that several commands take. An id that is malformed names nothing: it is looked for. */
export const IdOf = (what: string) => Line(1, 64, { description: `Id of the ${what}` })
export const Name = Line(1, 100, { description: 'Name' })
export const Address = Line(1, 254, { description: 'E-mail address' })
export const Password = Text(0, 1_024, {
  description: 'Password; without it one is made and printed',
})
export const Zone = Line(1, 64, { description: 'Time zone such as Europe/Zurich' })
export const PlanName = OneOf(['free', 'paid'])
export const Scopes = Line(1, 1_000, {
  description: 'full, read_only, or scopes with commas between',
})
export const Visibility = OneOf(['workspace', 'private'])

export function refuseNoZone(zone: string, option: string): void {
  if (isTimezone(zone)) return
  throw invalid(fault(option, 'invalid_value', 'must be a time zone such as Europe/Zurich'))
}

/** The password given, if it is good enough, or a new one. Hashed outside of any transaction. */
export async function passwordOf(
  given: string | undefined,
  option: string,
): Promise<PreparedPassword> {
  const wrong = given === undefined ? undefined : faultOfPassword(option, given)
  if (wrong) throw invalid(wrong)
  return preparePassword(given)
}

/** A preset, or single scopes; 422 for what is no scope. */
export function scopesIn(text: string): readonly Scope[] {
  if (text === 'full' || text === 'read_only') return PRESETS[text]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length === 0) return names.filter(isScope)
  const why = `must be full, read_only or scopes with commas between; unknown: ${unknown.join(', ')}`
  throw invalid(fault('scopes', 'invalid_value', why))
}
