import { parsePageRequest } from '#core/page-request.ts'
import type { ReadTx, WriteTx } from '#core/transaction.ts'
import type { LoadedTask } from '#resources/tasks/load.ts'
import type { DemoCalendar } from './demo-calendar.ts'
import type { DemoPerson, DemoProject } from './demo-definitions.ts'

/** The kinds of event that the webhook of the demo is sent. */
export const DEMO_WEBHOOK_EVENTS = ['task.created', 'task.completed', 'comment.created'] as const

/** What a person or Docket itself did at a time of the history, in a transaction of its own. */
export interface DemoStep {
  /** Milliseconds since 1970. */
  at: number
  by: DemoPerson | 'docket'
  /** Set if the step causes an event that the webhook is sent. */
  event?: (typeof DEMO_WEBHOOK_EVENTS)[number]
  run(tx: WriteTx): Promise<unknown>
}

/** What the steps refer to. Steps that create a task with a key add its id to `tasks`. */
export interface DemoContext {
  calendar: DemoCalendar
  people: Record<DemoPerson, string>
  projects: Record<DemoProject, { id: string; tags: ReadonlyMap<string, string> }>
  tasks: Map<string, string>
}

/** Loads the task of a step, for operations on what belongs to it. */
export type TaskLoader = (tx: ReadTx) => Promise<LoadedTask>

export function demoTaskId({ tasks }: DemoContext, key: string): string {
  const id = tasks.get(key)
  if (id === undefined) throw new Error(`The demo refers to "${key}" before it is created`)
  return id
}

/** The input of an operation that is called without a request. */
export const operationInput = <P, B>(params: P, body: B) => ({
  params,
  query: undefined,
  body,
  page: UNUSED_PAGE,
})
const UNUSED_PAGE = parsePageRequest('', '', {}, '')

/** The id of the record that an operation returns. */
export function createdRecord(result: object | string | undefined): { id: string } {
  if (typeof result === 'object' && 'id' in result && typeof result.id === 'string') {
    return { id: result.id }
  }
  throw new Error('An operation of the demo returned no record')
}
