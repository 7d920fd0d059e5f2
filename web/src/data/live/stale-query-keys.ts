import type { HintedNoun } from '#wire/stale-hint.ts'
import type { RefetchedType } from './live-message.ts'

/** A record that has changed, and which the page reads again where it is shown. */
export interface StaleRecord {
  noun: HintedNoun | RefetchedType
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
      return [ofTask('comments'), ofTask('activity'), ['search']]
    case 'time_entry':
      return [ofTask('time'), ['timer'], ['timesheet']]
    case 'attachment':
      return [ofTask('attachments'), ofTask('activity')]
    case 'tag':
      return [
        ['tags', project_id],
        ['tags', 'all'],
      ]
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
