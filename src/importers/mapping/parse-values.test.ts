import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guessStatusCategory, parseCompleted } from './parse-values.ts'

const NAMES = {
  backlog: ['Backlog', 'Ideas', 'Later', 'Someday', 'Icebox', 'Irgendwann'],
  unstarted: [
    ...['To do', 'Todo', 'to_do', 'Open', 'Offen', 'Next', 'Not started', 'not_started'],
    ...['Incomplete', 'Unresolved', 'Undone', 'Unfinished', 'Un-finished', 'Unreleased'],
    ...['Nicht begonnen', '0 %', '0%', 'Non terminé', 'No terminado', '未完成', 'À faire'],
    ...['Por hacer', 'Unstarted', 'Not begun', 'Terminiert', 'Noch nicht begonnen', 'Nicht fertig'],
    ...['Not done', 'Not yet done', 'Not in progress', 'To be tested', 'Noch nicht erledigt'],
    ...['Unerledigt', 'Latest', 'Contest', 'Inactive', 'Collateral', 'Reopened'],
    ...['Fertigung', 'Fertigstellung', 'Startseite', '0 % done', 'Noch nicht ganz fertig'],
  ],
  started: [
    ...['In Progress', 'InProgress', 'in_progress', 'Doing', 'Started', 'In review', 'InReview'],
    ...['50 %', '99,5%', 'En cours', 'En curso', '進行中', 'In Bearbeitung', 'Begonnen'],
    ...['Code review', 'Testing', 'QA', 'WIP', 'Active', 'In Arbeit', 'Ready for review'],
    ...['90 % done', '50% complete', 'Almost done', 'Fast fertig', 'Teilweise erledigt'],
    ...['Partially complete', 'Ready to close', 'Closing', 'Finishing', 'In Fertigung'],
  ],
  completed: [
    ...['Done', '✅ Done', 'Closed', 'Complete', 'Completed', 'Resolved', 'Finished', 'Shipped'],
    ...['100 %', 'Terminé', 'Fait', 'Hecho', 'Concluído', '完了', 'Beendet', 'Fatto'],
    ...['Released', 'Archived', 'Tests done', 'Done, not verified', 'Erledigt', 'Fertig'],
    ...['Finalizado', 'Resuelto', 'Résolu', 'Clôturé', 'Chiuso', 'Risolto', 'Fechado', 'Voltooid'],
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

test('takes a day, a number, a mark or a yes for the completion, and guesses nothing from other words', () => {
  for (const text of [
    'yes',
    'TRUE',
    '1',
    'x',
    '2026-03-31',
    'Done',
    '100 %',
    '✓',
    'Oui',
    '1.0',
    '1772352000000',
    '3/4/2026',
  ])
    assert.equal(parseCompleted(text), true, text)
  const no = ['no', 'False', '0', '-', 'Open', 'Incomplete', 'Not done', 'nicht erledigt']
  const open = [
    'not started',
    '0 %',
    '75 %',
    'nicht begonnen',
    'Noch nicht',
    'In progress',
    'To do',
    ...['Нет', 'Nej', 'Hayır', 'いいえ', 'Ei', 'όχι', '0.5', '90 % done'],
  ]
  for (const text of [...no, ...open, 'Unresolved', 'Pending', '[ ]', 'Non terminé', '未完了'])
    assert.equal(parseCompleted(text), false, text)
  for (const text of ['Waiting', 'Notified', 'Ada', 'Canceled'])
    assert.equal(parseCompleted(text), undefined, text)
})
