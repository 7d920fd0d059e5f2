import type { Usage } from '#resources/workspace/internal.ts'
import { timeOf } from '../../../lib/instant.ts'
import { m } from '../../../messages/workspace.ts'
import { busiest } from './series.ts'

/** What the figures say, as a sentence. */
export function findingOf({ minutes, limit }: Usage): string {
  const peak = busiest(minutes)
  return peak ? m.usageFinding(peak.used, limit, timeOf(peak.at)) : m.usageNone
}
