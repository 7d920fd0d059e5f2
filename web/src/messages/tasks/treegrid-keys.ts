import { defineMessages } from '../define-messages.ts'

/** Texts of the keys of a treegrid. */
export const treegridKeyMessages = defineMessages('treegridKeys', {
  keysCells: 'Rows and cells',
  toCells: 'Next cell, or expand the group',
  toRow: 'Previous cell, parent, or collapse',
  toFirst: 'First row or cell',
  toLast: 'Last row or cell',
  changeCell: 'Change the cell',
})
