import { invalid } from '#core/refusal.ts'
import { type PreparedPassword, preparePassword } from '#identity/account.ts'
import { isTimezone } from '#lib/days.ts'
import { fault } from '#wire/fault.ts'
import { faultOfPassword } from '#wire/password-rule.ts'
import { Line, OneOf, Text } from '#wire/schema.ts'

/** Options that several commands take. An id that is malformed names nothing: it is looked for. */
export const IdOf = (what: string) => Line(1, 64, { description: `Id of the ${what}` })
export const Name = Line(1, 100, { description: 'Name' })
export const Address = Line(1, 254, { description: 'E-mail address' })
export const Password = Text(0, 1_024, {
  description: 'Password; without it one is made and printed',
})
export const Zone = Line(1, 64, { description: 'Time zone such as Europe/Zurich' })
export const PlanName = OneOf(['free', 'paid'])
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
