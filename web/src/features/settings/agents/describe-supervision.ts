import type { Supervision } from '#wire/supervision.ts'
import { formatChoice } from '../../../messages/plural.ts'
import { supervisionMessages } from '../../../messages/settings/supervision.ts'

/** The kinds of changes that a person can supervise, besides the number of changes. */
export const SUPERVISED_KINDS = ['deletions', 'moves', 'webhooks', 'members'] as const

/** Describes in a sentence what a credential asks about before it does it. */
export function describeSupervision(supervision: Supervision | null): string {
  if (!supervision) return supervisionMessages.none
  const { records_per_request, records_per_hour } = supervision
  const phrases: string[] = SUPERVISED_KINDS.filter((kind) => supervision[kind]).map(
    (kind) => supervisionMessages[kind],
  )
  if (records_per_request !== null)
    phrases.push(supervisionMessages.manyAtOnce(records_per_request))
  if (records_per_hour !== null) phrases.push(supervisionMessages.manyAnHour(records_per_hour))
  return phrases.length > 0
    ? supervisionMessages.asks(formatChoice(phrases))
    : supervisionMessages.none
}
