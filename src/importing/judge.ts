import type { Row } from '#resources/imports/row.ts'
import { NewTask } from '#resources/tasks/contract.ts'
import { MOST_BLOCKERS, MOST_TAGS } from '#resources/tasks/fields.ts'
import { readerOf } from '#wire/read.ts'

const read = readerOf(NewTask)
const NO_PROJECT = `prj_${'0'.repeat(26)}`
const MOST_OF_TAG = 50
const MOST_OF_COMMENT = 65_536
const MOST_COMMENTS = 1_000
/** As in a line of the contract; a key is looked for, and shown. */
const UNFIT = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const UNFIT_IN_TEXT = /(?![\t\n\r])\p{Cc}|\p{Cs}/u

/** What is wrong with a row by itself, as sentences: the rules of the API, before anything is made. */
export function faultsIn(row: Row): string[] {
  const { title, description, priority, start_date, due_date, estimate_seconds } = row
  const { faults } = read({
    ...{ project_id: NO_PROJECT, title, description, priority },
    ...{ start_date, due_date, estimate_seconds },
    ...(row.key !== null && { external_id: row.key, external_source: 'file' }),
  })
  const told = faults.map(({ message }) => `${message.replace(/^external_id/, 'id')}`)
  const no = (isWrong: boolean, why: string) => {
    if (isWrong) told.push(why)
  }
  const names = [...row.tags, ...row.assignees, row.project, row.status ?? '', row.parent ?? '']
  no(
    names.some((name) => UNFIT.test(name)),
    'A name holds characters that are not allowed.',
  )
  no(row.tags.length > MOST_TAGS, `It has more than ${MOST_TAGS} tags.`)
  no(
    row.tags.some((tag) => tag.length > MOST_OF_TAG),
    `A tag has more than ${MOST_OF_TAG} characters.`,
  )
  no(row.blocked_by.length > MOST_BLOCKERS, `It waits for more than ${MOST_BLOCKERS} tasks.`)
  no(row.comments.length > MOST_COMMENTS, `It has more than ${MOST_COMMENTS} comments.`)
  for (const { body } of row.comments) {
    no(body.length > MOST_OF_COMMENT, `A comment has more than ${MOST_OF_COMMENT} characters.`)
    no(UNFIT_IN_TEXT.test(body), 'A comment holds characters that are not allowed.')
  }
  return [...new Set(told)]
}
