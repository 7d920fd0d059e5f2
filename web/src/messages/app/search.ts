import { defineMessages } from '../define-messages.ts'

/** Texts of what a search has found. */
export const searchMessages = defineMessages('search', {
  where: { description: 'Description', comment: 'Comment' },
})
