import type { Means } from '#core/door.ts'
import { Refusal } from '#core/refusal.ts'

/** Refuses a way in beside the company's own, where there is to be no other. */
export function refuseOtherWays({ company }: Pick<Means, 'company'>): void {
  if (!company?.only) return
  const message = `Here people sign in with ${company.name}, and by nothing else.`
  throw new Refusal(403, 'company_sign_in_only', message)
}
