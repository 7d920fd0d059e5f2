import { conflict } from '#core/refusal.ts'
import type { WriteTx } from '#core/tx.ts'
import { createAs as createComment } from '#resources/comments/operations.ts'
import type { Row, Said } from '#resources/imports/row.ts'
import { activeMembersSeeing } from '#resources/members/seeing.ts'
import { loadTask } from '#resources/tasks/load.ts'
import { createIn } from '#resources/tasks/operations/create.ts'
import { type Going, relativesOf } from './going.ts'
import { statusFor } from './places.ts'

const MOST_OF_TEXT = 65_536

/** Kinds of which the same file is known again by its ids: what is there already is not made twice. */
const WITH_IDS: readonly string[] = ['docket', 'trello', 'linear', 'jira', 'github', 'vikunja']

/**
 * Makes the task of a row with its comments, by the operations of the API, and gives its id. What of it
 * has no place here (people who are nobody here, tasks that the file does not hold) its description
 * tells. A refusal is the row's fault.
 */
export async function makeTask(
  going: Going,
  row: Row,
  { project_id, tag_ids }: { project_id: string; tag_ids: string[] },
): Promise<string> {
  const { tx, people } = going
  const meant = row.assignees.flatMap((name) => people.get(name) ?? [])
  const seeing = await activeMembersSeeing(tx, project_id, meant)
  const nobody = row.assignees.filter((name) => !seeing.has(people.get(name) ?? ''))
  const { parent, blockers, absent } = relatives(going, row)
  const status = await statusFor(going, project_id, row)
  const kind = WITH_IDS.find((one) => one === going.found.kind)
  const { title, priority, start_date, due_date, estimate_seconds } = row
  const task = await createIn(tx, {
    ...{
      project_id,
      title: title.trim(),
      priority,
      start_date,
      due_date,
      estimate_seconds,
      tag_ids,
    },
    description: described(row, nobody, absent),
    assignee_ids: [...seeing].toSorted(),
    parent_id: parent,
    blocked_by_ids: blockers,
    ...(status !== undefined && { status }),
    ...(kind && row.key !== null && { external_source: kind, external_id: row.key }),
  })
  for (const said of row.comments) await say(tx, task.id, said, people)
  return task.id
}

/** The tasks that a row is below and waits for, which came before it; and what the file does not hold. */
function relatives({ tasks: known }: Going, row: Row) {
  const { parent, blocked_by } = row
  const keys = relativesOf(row)
  const failed = keys.find((key) => known.get(key) === null)
  if (failed !== undefined) {
    throw conflict('related_not_made', `It belongs to "${failed}", of which no task was made.`)
  }
  const taskOf = (key: string) => known.get(key) ?? []
  return {
    parent: parent === null ? null : (known.get(parent) ?? null),
    blockers: [...new Set(blocked_by.flatMap(taskOf))].toSorted(),
    absent: keys.filter((key) => !known.has(key)),
  }
}

/** The description with what else the file says. */
function described(
  { description, parent }: Row,
  nobody: string[],
  absent: string[],
): string | null {
  const others = absent.filter((key) => key !== parent)
  const lines = [
    ...(nobody.length > 0 ? [`Assigned to: ${nobody.join(', ')}`] : []),
    ...(absent.length > others.length ? [`Part of: ${parent}`] : []),
    ...(others.length > 0 ? [`Blocked by: ${others.join(', ')}`] : []),
  ]
  if (lines.length === 0) return description
  const text = [description ?? '', lines.join('\n')].filter((part) => part !== '').join('\n\n')
  return text.length > MOST_OF_TEXT ? description : text
}

/** A comment is its author's where that is a member, and else tells by whom and when it was. */
async function say(
  tx: WriteTx,
  task_id: string,
  { author, at, body }: Said,
  people: ReadonlyMap<string, string | null>,
): Promise<void> {
  const member = author === null ? null : (people.get(author) ?? null)
  const head = [member === null ? author : null, at?.slice(0, 10)].filter(Boolean).join(', ')
  const text = head === '' ? body : `*${head}*\n\n${body}`
  const fits = text.length <= MOST_OF_TEXT ? text : body
  const task = await loadTask(tx, task_id)
  await createComment(tx, task, member ?? tx.actor.user_id ?? '', { body: fits })
}
