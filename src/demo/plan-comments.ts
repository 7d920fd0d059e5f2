import type { WriteTx } from '#core/transaction.ts'
import { create as createComment } from '#resources/comments/operations.ts'
import { variedTime } from './demo-calendar.ts'
import type { DemoPerson, DemoTask } from './demo-definitions.ts'
import {
  createdRecord,
  type DemoContext,
  type DemoStep,
  operationInput,
  type TaskLoader,
} from './demo-step.ts'

/** Between a comment and each reply. */
const REPLY_DELAY_MS = 9 * 60_000
const COMMENT_HOUR = 13

/** The comments of a task, each after the one before, and their replies. */
export function planComments(
  { calendar, people }: DemoContext,
  { comments = [], days: [createdOn, startedOn = createdOn] }: DemoTask,
  index: number,
  loadTask: TaskLoader,
): DemoStep[] {
  const write = async (tx: WriteTx, text: string, parent: string | null) => {
    const body = text.replace(/\{(\w+)\}/g, (_, who: DemoPerson) => `<@${people[who]}>`)
    const task = await loadTask(tx)
    const input = operationInput({ id: task.id }, { body, parent_id: parent })
    return createdRecord(await createComment(tx, task, input)).id
  }
  return comments.flatMap(({ by, text, on = startedOn, minutesAgo, replies = [] }, number) => {
    const at =
      minutesAgo === undefined
        ? calendar.timeOn(on, variedTime(COMMENT_HOUR, index, number * 40))
        : calendar.minutesAgo(minutesAgo)
    let commentId: string | null = null
    const event = 'comment.created' as const
    const steps: DemoStep[] = [
      {
        ...{ at, by, event },
        run: async (tx) => {
          commentId = await write(tx, text, null)
        },
      },
    ]
    for (const [position, reply] of replies.entries()) {
      steps.push({
        ...{ at: at + (position + 1) * REPLY_DELAY_MS, by: reply.by, event },
        run: (tx) => write(tx, reply.text, commentId),
      })
    }
    return steps
  })
}
