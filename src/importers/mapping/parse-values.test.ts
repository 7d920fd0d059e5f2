import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessStatusCategory, parseCompleted } from './parse-values.ts'

const NAMES = {
  backlog: ['Backlog', 'Ideas', 'Later', 'Someday', 'Icebox', 'Irgendwann'],
  unstarted: [
    ...['To do', 'Todo', 'to_do', 'Open', 'Offen', 'Next', 'Not started', 'not_started'],
    ...['Incomplete', 'Unresolved', 'Undone', 'Unfinished', 'Un-finished', 'Unreleased'],
    ...['Not done', 'Not yet done', 'Not in progress', 'To be tested', 'Noch nicht erledigt'],
    ...['Unerledigt', 'Latest', 'Contest', 'Inactive', 'Collateral', 'Reopened'],
  ],
  started: [
    ...['In Progress', 'InProgress', 'in_progress', 'Doing', 'Started', 'In review', 'InReview'],
    ...['Code review', 'Testing', 'QA', 'WIP', 'Active', 'In Arbeit', 'Ready for review'],
  ],
  completed: [
    ...['Done', '✅ Done', 'Closed', 'Complete', 'Completed', 'Resolved', 'Finished', 'Shipped'],
    ...['Released', 'Archived', 'Tests done', 'Done, not verified', 'Erledigt', 'Fertig'],
  ],
  canceled: [
    ...['Canceled', 'Cancelled', "Won't do", 'Won’t fix', 'wont_do', 'Duplicate', 'Rejected'],
    ...['Declined', 'Not planned', 'Abandoned', 'Abgebrochen'],
  ],
}

test('guesses the category of a status from whole words of its name', () => {
  for (const [category, names] of Object.entries(NAMES)) {
    const guesses = names.map((name) => [name, guessStatusCategory(name)])
    assert.deepEqual(
      guesses,
      names.map((name) => [name, category]),
    )
  }
})

test('takes any text of a column for completed tasks but a no for the completion', () => {
  for (const text of ['yes', 'TRUE', '1', 'x', '2026-03-31', 'Done', 'Notified'])
    assert.equal(parseCompleted(text), true, text)
  for (const text of ['no', 'False', '0', '-', 'Open', 'Incomplete', 'Not done', 'nicht erledigt'])
    assert.equal(parseCompleted(text), false, text)
  assert.equal(parseCompleted(null), null)
})
