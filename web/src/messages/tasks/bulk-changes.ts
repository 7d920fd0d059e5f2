import { defineMessages } from '../define-messages.ts'
import { formatNumber, plural } from '../plural.ts'

/** Texts about a change of many tasks, which the first rows of a list do not need. */
export const bulkChangeMessages = defineMessages('bulkChanges', {
  stopped: (done: number, all: number) =>
    `Stopped: ${formatNumber(done)} of ${formatNumber(all)} processed`,
  notSent: 'The change could not be sent.',
  notFound: 'The task was not found.',
  changedMeanwhile: 'Someone else changed this in the meantime.',
  refused: (count: number) =>
    plural(count, { one: '# task was not changed', other: '# tasks were not changed' }),
  why: 'Why?',
  selected: (n: number) => plural(n, { one: '# selected', other: '# selected' }),
  selectAll: (n: number) => `Select all ${formatNumber(n)} in this view`,
  bulkBar: 'Selected tasks',
  move: 'Move',
  clear: 'Clear selection',
})
