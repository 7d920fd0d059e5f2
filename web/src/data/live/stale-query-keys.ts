import type { HintedNoun } from '#wire/stale-hint.ts'
import type { FollowedType } from './live-message.ts'

/** A record that has changed, so that the page reads again what the server derives from it, or the record itself. */
export interface StaleRecord {
  noun: HintedNoun | FollowedType
  id?: string
  project_id?: string | null | undefined
  task_id?: string | undefined
}

/** The keys of the queries that show a record. */
export function staleQueryKeys({ noun, id, task_id, project_id }: StaleRecord): unknown[][] {
  // The feed does not say to which task a deleted record belonged: then it is those of all tasks.
  const ofTask = (key: string) => (task_id === undefined ? [key] : [key, task_id])
  switch (noun) {
    case 'comment':
      return [ofTask('activity'), ['search']]
    case 'attachment':
      return [ofTask('activity')]
    case 'time_entry':
    case 'tag':
      return []
    case 'member':
      return [['members']]
    case 'notification':
      return [['notifications'], ['watch']]
    case 'view':
      return [['views', project_id ?? null]]
    case 'webhook':
      return [['webhooks'], ['deliveries', id]]
    case 'person':
      return [['people', project_id]]
    case 'api_key':
      return [['keys']]
    case 'workspace':
      return [['workspace']]
    default:
      return [[`${noun}s`]]
  }
}
