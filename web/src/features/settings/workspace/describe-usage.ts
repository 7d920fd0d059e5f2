import type { WorkspaceUsage } from '#resources/workspace/internal.ts'
import { formatTime } from '../../../lib/dates/instant.ts'
import { formatBytes } from '../../../lib/text/format-bytes.ts'
import { workspaceMessages } from '../../../messages/settings/workspace.ts'
import { findBusiestMinute, type UsageMinute } from './usage-series.ts'

/** A sentence on the busiest minute, compared with the limit. */
export function describeUsage({ minutes, limit }: WorkspaceUsage): string {
  const peak = findBusiestMinute(minutes)
  return peak
    ? workspaceMessages.usageFinding(peak.used, limit, formatTime(peak.at))
    : workspaceMessages.usageNone
}

/** The minutes of the web app, which has a limit of its own. */
const webAppMinutes = ({ minutes }: WorkspaceUsage): UsageMinute[] =>
  minutes.map(({ at, session_used, session_refused }) => ({
    at,
    used: session_used,
    refused: session_refused,
  }))

/** Sentences on the web app: its busiest minute, and requests that were rejected. */
export function describeWebAppUsage(usage: WorkspaceUsage): string {
  const minutes = webAppMinutes(usage)
  const peak = findBusiestMinute(minutes)
  const rejected = describeRejected(minutes)
  const { webAppUsage } = workspaceMessages
  return [peak && webAppUsage(peak.used, usage.limit, formatTime(peak.at)), rejected]
    .filter(Boolean)
    .join(' ')
}

/** How much of its storage the workspace has used. */
export const describeStorage = ({ storage: { used, limit } }: WorkspaceUsage): string =>
  workspaceMessages.storage(formatBytes(used), formatBytes(limit))

/** How many requests were rejected in how many minutes; `''` if none was. */
export function describeRejected(minutes: readonly UsageMinute[]): string {
  const over = minutes.filter(({ refused }) => refused > 0)
  const refused = over.reduce((sum, one) => sum + one.refused, 0)
  return refused > 0 ? workspaceMessages.usageRefused(refused, over.length) : ''
}
