import type { Mail } from '#core/mail.ts'
import type { Traces } from '#core/traces.ts'
import type { Storage } from '#core/tx.ts'
import type { Files } from '#files/files.ts'
import { purgeAbandoned } from './abandoned.ts'
import { forgetAudit, tellHeads } from './audit.ts'
import { indexComments } from './comment-words.ts'
import { eraseDeleted } from './deleted-workspaces.ts'
import { forgetDeliveries, forgetLogs } from './deliveries.ts'
import { blankErased } from './erased.ts'
import { forgetEvents } from './events.ts'
import { removeDoomed, sweepOrphans } from './files.ts'
import { forgetGrants } from './grants.ts'
import { endSilentImports } from './imports.ts'
import { forgetInvitations } from './invitations.ts'
import { sendLetters } from './letters.ts'
import { forgetTold, tellWhatIsDue, thinInboxes } from './notifications.ts'
import { forgetReplies } from './replies.ts'
import { forgetRequests } from './requests.ts'
import { type Chore, startRounds } from './rounds.ts'
import { forgetSessions } from './sessions.ts'
import { stopLongTimers } from './timers.ts'
import { emptyTrash } from './trash.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** What the chores need to know and to have. */
export interface Upkeep {
  storage: Storage
  files: Files
  mail: Pick<Mail, 'post'> | undefined
  config: {
    baseUrl: string
    eventRetentionDays: number
    auditRetentionDays: number
    settings: { trashDays: number }
  }
  authenticator: { flush(): Promise<void> }
  /** Writes down what requests were counted. */
  keepCounts(): Promise<boolean>
  log: Record<'info' | 'warn' | 'error', (about: object, message: string) => void>
  /** Whether this process keeps house: what it remembers itself it writes down always. */
  part: { works: boolean }
  traces: Traces
  /** What other rooms do in the background, where this process keeps house. */
  others: readonly Chore[]
}

/** All that Docket does unasked. Several processes may do it: doing it twice does no harm. */
export function startChores(upkeep: Upkeep) {
  const { log, part, traces } = upkeep
  const chores = [
    ...ownChores(upkeep),
    ...(part.works ? [...houseChores(upkeep), ...upkeep.others] : []),
  ]
  const traced = chores.map((chore) => ({
    ...chore,
    step: () => traces.apart({ name: `chore: ${chore.name}` }, () => chore.step()),
  }))
  return startRounds(traced, (chore, err) => log.error({ chore, err }, 'A chore failed'))
}

/** What this process has in its memory, and others are to know. */
function ownChores({ authenticator, keepCounts }: Upkeep): Chore[] {
  const flush = async () => {
    await authenticator.flush()
    return false
  }
  return [
    { name: 'last use of credentials', everyMs: 30 * SECOND, step: flush },
    { name: 'counts of requests', everyMs: MINUTE, step: keepCounts },
  ]
}

function houseChores({ storage, files, mail, config, log }: Upkeep): Chore[] {
  const post = { storage, mail, baseUrl: config.baseUrl, log }
  return [
    { name: 'old counts', everyMs: 10 * MINUTE, step: forgetRequests(storage) },
    { name: 'long timers', everyMs: 20 * SECOND, step: stopLongTimers(storage) },
    { name: 'old replies', everyMs: 10 * MINUTE, step: forgetReplies(storage) },
    {
      name: 'old events',
      everyMs: 10 * MINUTE,
      step: forgetEvents(storage, config.eventRetentionDays),
    },
    { name: 'files without a row', everyMs: 60 * MINUTE, step: sweepOrphans(storage, files) },
    { name: 'deleted files', everyMs: 5 * SECOND, step: removeDoomed(storage, files) },
    { name: 'old deliveries', everyMs: 10 * MINUTE, step: forgetDeliveries(storage) },
    { name: 'logs of deleted webhooks', everyMs: MINUTE, step: forgetLogs(storage) },
    { name: 'words of comments', everyMs: 10 * SECOND, step: indexComments(storage) },
    { name: 'mails of notifications', everyMs: 15 * SECOND, step: sendLetters(post) },
    { name: 'due tasks', everyMs: 5 * MINUTE, step: tellWhatIsDue(storage) },
    { name: 'old notifications', everyMs: 10 * MINUTE, step: forgetTold(storage) },
    { name: 'full inboxes', everyMs: 60 * MINUTE, step: thinInboxes(storage) },
    { name: 'old invitations', everyMs: 60 * MINUTE, step: forgetInvitations(storage) },
    { name: 'ended sessions', everyMs: 10 * MINUTE, step: forgetSessions(storage) },
    { name: 'ended grants', everyMs: 10 * MINUTE, step: forgetGrants(storage) },
    { name: 'killed imports', everyMs: MINUTE, step: endSilentImports(storage) },
    {
      name: 'deleted workspaces',
      everyMs: 10 * MINUTE,
      step: eraseDeleted(storage, config.settings.trashDays),
    },
    { name: 'erased persons', everyMs: 5 * SECOND, step: blankErased(storage) },
    { name: 'abandoned workspaces', everyMs: 5 * SECOND, step: purgeAbandoned(storage, files) },
    {
      name: 'old entries of the audit log',
      everyMs: 60 * MINUTE,
      step: forgetAudit(storage, config.auditRetentionDays),
    },
    { name: 'ends of the audit log', everyMs: 60 * MINUTE, step: tellHeads(storage, log) },
    { name: 'trash', everyMs: 10 * MINUTE, step: emptyTrash(storage, config.settings.trashDays) },
  ]
}
