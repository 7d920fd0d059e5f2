import { timeMessages } from '../../messages/app/time.ts'

/** Translates typed words of dates and tasks to lower-case English: "nächsten Fr" → "next fri". */
export const translateTypedWords = (typed: string): string =>
  typed
    .toLowerCase()
    .replace(/\p{L}+/gu, (word) =>
      Object.hasOwn(timeMessages.typed, word) ? (timeMessages.typed[word] ?? word) : word,
    )
